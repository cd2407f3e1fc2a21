import SimpleFutures
import SimpleFuturesInterop

extension Work {
    static let tasks = [
        Work(name: "awaits of futures that other threads complete", size: 20) { site, round in
            for number in 0..<20 {
                let promise = Promise<Cargo>()
                site.context(round).execute { promise.success(Cargo(number)) }
                Answers.expect()
                await attempt { if try await promise.future.value.number == number { Answers.come() } }
            }
        },
        Work(name: "awaits whose task is cancelled, or not", size: 20) { site, round in
            await withTaskGroup { group in
                for number in 0..<20 {
                    let promise = Promise<Cargo>()
                    Answers.expect()
                    let task = Task {
                        switch await promise.future.outcome {
                        case .success, .failure: Answers.come()
                        }
                    }
                    group.addTask {
                        if number % 2 == 0 { task.cancel() }
                        promise.success(Cargo(number))
                        await task.value
                    }
                }
            }
        },
        Work(name: "waits for a future that is never completed", size: 10) { site, _ in
            for _ in 0..<10 {
                let task = Task { await attempt { _ = try await site.idle.value } }
                task.cancel()
                await task.value
            }
        },
        Work(name: "futures of asynchronous closures", size: 20) { site, round in
            for number in 0..<10 {
                let token = site.token.child()
                Answers.expect(2)
                let future = Future<Cargo>(cancelToken: token) {
                    await Task.yield()
                    try Task.checkCancellation()
                    return Cargo(number)
                }
                future.onComplete(context: site.context(round)) { _ in Answers.come() }
                future.asyncMap { Cargo($0.number) }.onComplete(context: site.context(number)) { _ in Answers.come() }
                if number % 3 == 0 { token.cancel() }
                _ = await future.outcome
            }
        },
    ]

    static let blocks = [
        Work(name: "completion handlers, called once, twice, never", size: 20) { site, round in
            for number in 0..<20 {
                Answers.expect()
                let future = future { (completion: @escaping @Sendable (Cargo?, (any Error)?) -> Void) in
                    site.context(round).execute {
                        if number % 5 < 4 { completion(Cargo(number), nil) }
                        if number % 5 == 3 { completion(nil, Failure()) }
                    }
                }
                _ = await future.outcome
                Answers.come()
            }
        },
        Work(name: "asynchronous functions for callers with completion handlers", size: 10) { site, round in
            for number in 0..<10 {
                Answers.expect()
                let completion: @Sendable (Cargo?, (any Error)?) -> Void = { _, _ in Answers.come() }
                let token = callback(completion, context: site.context(round)) {
                    await Task.yield()
                    return Cargo(number)
                }
                if number % 3 == 0 { token.cancel() }
            }
        },
    ]
}
