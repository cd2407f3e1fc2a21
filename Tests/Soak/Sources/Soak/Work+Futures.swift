import SimpleFutures
import SimpleFuturesInterop

extension Work {
    static let futures = [
        Work(name: "links of chains", size: 100) { site, round in
            for number in 0..<10 {
                let promise = Promise<Cargo>()
                var end = promise.future
                for link in 0..<10 { end = end.map(context: site.context(round + link)) { Cargo($0.number + 1) } }
                Answers.expect()
                end.onComplete(context: site.context(number)) { result in
                    if case .success(let cargo) = result, cargo.number == number + 10 { Answers.come() }
                }
                promise.success(Cargo(number))
            }
        },
        Work(name: "links that fail, are recovered, filtered and broken", size: 40) { site, round in
            for number in 0..<10 {
                var promise: Promise<Cargo>? = Promise()
                Answers.expect(2)
                promise?.future.flatMap(context: site.context(round)) { Future(value: Cargo($0.number)) }
                    .filter(context: site.context(round + 1)) { _ in false }
                    .recover(context: site.context(round + 2)) { _ in Cargo(-1) }
                    .onSuccess(context: site.context(round + 3)) { _ in Answers.come() }
                promise?.future.onComplete(context: site.context(number)) { _ in Answers.come() }
                switch number % 3 {
                case 0: promise?.success(Cargo(number))
                case 1: promise?.failure(Failure())
                default: promise = nil
                }
            }
        },
        Work(name: "inputs of gatherings", size: 300) { site, round in
            let promises = (0..<100).map { _ in Promise<Cargo>() }
            let inputs = promises.map(\.future)
            Answers.expect(3)
            inputs.sequence(context: site.context(round)).onComplete(context: site.context(round)) { _ in Answers.come()
            }
            inputs.firstCompleted().onComplete(context: site.context(round + 1)) { _ in Answers.come() }
            inputs.settled().onComplete(context: site.context(round + 2)) { _ in Answers.come() }
            for (number, promise) in promises.enumerated() {
                number == round % 200 ? promise.failure(Failure()) : promise.success(Cargo(number))
            }
        },
        Work(name: "timeouts, delays, retries", size: 30) { site, round in
            let clock = ManualContext()
            for number in 0..<10 {
                let promise = Promise<Cargo>()
                Answers.expect(3)
                promise.future.timeout(.seconds(1), context: clock).onComplete(context: site.context(round)) { _ in
                    Answers.come()
                }
                promise.future.delay(.seconds(2), context: clock).onComplete(context: site.context(number)) { _ in
                    Answers.come()
                }
                Future<Cargo>.retry(3, delay: .seconds(1), context: clock) { throw Failure() }
                    .onFailure(context: ImmediateContext()) { _ in Answers.come() }
                if number % 2 == 0 { promise.success(Cargo(number)) }
                clock.run()
                for _ in 0..<4 { clock.advance(by: .seconds(1)) }
            }
        },
    ]

    static let tokens = [
        Work(name: "registrations under tokens that are cancelled", size: 30) { site, round in
            for number in 0..<10 {
                let token = number % 2 == 0 ? site.token.child() : CancelToken(anyOf: site.token, CancelToken())
                let cargo = Cargo(number)
                Answers.expect()
                let derived = site.idle.map(context: site.context(round), cancelToken: token) { _ in cargo }
                derived.onCancel(context: ImmediateContext()) { Answers.come() }
                site.idle.onSuccess(context: site.context(round), cancelToken: token) { _ in _ = cargo }
                token.onCancel { _ = cargo }
                if number % 3 == 0 { site.idle.cancel(token) }
                token.cancel()
            }
        },
        Work(name: "short links on a long-lived token", size: 20) { site, round in
            for number in 0..<10 {
                let promise = Promise<Cargo>()
                Answers.expect()
                promise.future.map(context: site.context(round), cancelToken: site.token) { $0 }
                    .onSuccess(context: site.context(number), cancelToken: site.token) { _ in Answers.come() }
                promise.success(Cargo(number))
            }
        },
    ]
}
