import SimpleFutures
import SimpleFuturesInterop

extension Work {
    static let streams = [
        Work(name: "elements to callbacks", size: 300) { site, round in
            let promise = StreamPromise<Cargo>(capacity: round % 20)
            for subscriber in 0..<3 {
                Answers.expect(101)
                promise.stream.map(context: site.context(round)) { $0 }.onSuccess(context: site.context(subscriber)) {
                    _ in
                    Answers.come()
                }
                promise.stream.onFinish(context: site.context(subscriber)) { Answers.come() }
            }
            for number in 0..<100 { promise.success(Cargo(number)) }
        },
        Work(name: "elements to loops", size: 200) { site, round in
            let promise = StreamPromise<Cargo>(capacity: 0)
            let stream = promise.stream
            let policies: [StreamBufferingPolicy] = [
                .unbounded, .newest(10), .oldest(10), .failing(50), .reportingLag(10),
            ]
            let policy = policies[round % policies.count]
            let (loop, short) = (stream.subscription(buffering: policy), stream.subscription(buffering: policy))
            async let all: Void = attempt {
                Answers.expect()
                defer { Answers.come() }
                for try await _ in loop {}
            }
            async let few: Void = attempt {
                for try await cargo in short where cargo.number > 5 { break }
            }
            for number in 0..<100 {
                number == 60 && round % 3 == 0 ? promise.failure(Failure()) : promise.success(Cargo(number))
                if number % 10 == 0 { await Task.yield() }
            }
            promise.finish()
            _ = await (all, few)
        },
        Work(name: "elements of merged, flattened and cancelled streams", size: 100) { site, round in
            let token = site.token.child()
            let (one, other) = (StreamPromise<Cargo>(capacity: 5), StreamPromise<Cargo>(capacity: 5))
            Answers.expect()
            let merged = one.stream.merge(other.stream)
            let derived = merged.flatMap(context: site.context(round), cancelToken: token) { cargo in
                Future(value: Cargo(cargo.number))
            }
            derived.onFinish(context: ImmediateContext()) { Answers.come() }
            derived.onCancel(context: ImmediateContext()) { Answers.come() }
            for number in 0..<50 {
                one.success(Cargo(number))
                other.success(Cargo(number))
                if number == 30, round % 2 == 0 { token.cancel() }
            }
            one.finish()
            other.finish()
        },
        Work(name: "elements of asynchronous sequences", size: 50) { site, round in
            let token = site.token.child()
            let sequence = AsyncStream<Cargo> { continuation in
                for number in 0..<50 { continuation.yield(Cargo(number)) }
                continuation.finish()
            }
            let stream = sequence.futureStream(capacity: 5, cancelToken: token)
            Answers.expect()
            await attempt {
                for try await cargo in stream.values where cargo.number > 40 && round % 2 == 0 { token.cancel() }
            }
            Answers.come()
        },
    ]
}
