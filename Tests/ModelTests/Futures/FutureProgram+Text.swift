extension FutureProgram.Operation {
    func text(_ id: Int) -> String {
        switch self {
        case .promise: "p\(id) = Promise(), f\(id) = p\(id).future"
        case .bare: "f\(id) = Future()"
        case .value: "f\(id) = Future(value: \(id))"
        case .transform(let transform, let source, let place, let token):
            "f\(id) = f\(source).\(transform)(\(arguments(place, token)))"
        case .flatMap(let source, let inner, let isRecovery, let place, let token):
            "f\(id) = f\(source).\(isRecovery ? "recoverWith" : "flatMap")(\(arguments(place, token))) { f\(inner) }"
        case .gather(let gathering, let sources, let place):
            "f\(id) = \(gathering)(\(list(sources))\(gathering.takesClosure ? ", \(place)" : ""))"
        case .retry(let sources, let hasDelay, let place, let token):
            "f\(id) = retry(\(sources.count)\(hasDelay ? ", 1 s" : ""), \(arguments(place, token))) { \(list(sources)) }"
        case .timeout(let source, let token): "f\(id) = f\(source).timeout(1 s, \(arguments(.manual, token)))"
        case .delay(let source, let token): "f\(id) = f\(source).delay(1 s, \(arguments(.manual, token)))"
        case .asyncFuture(let source, let token):
            "f\(id) = Future(\(arguments(nil, token))) { try await f\(source).value }"
        case .complete(let target, let isSuccess): "f\(target).\(isSuccess ? "success" : "failure")(\(id))"
        case .tryComplete(let target, let isSuccess): "f\(target).\(isSuccess ? "trySuccess" : "tryFailure")(\(id))"
        case .completeWith(let target, let source): "p\(target).completeWith(f\(source))"
        case .dropPromise(let promise): "drop p\(promise)"
        case .dropFuture(let future): "drop f\(future)"
        case .listen(let future, let kind, let place, let token, let target):
            "f\(future).on \(kind)(\(arguments(place, token))) { note \(id)"
                + (target.map { "; p\($0).trySuccess(\(id))" } ?? "") + " }"
        case .token: "t\(id) = CancelToken()"
        case .child(let parent): "t\(id) = t\(parent).child()"
        case .handler(let token): "t\(token).onCancel { note \(id) }"
        case .cancel(let token): "t\(token).cancel()"
        case .cancelOn(let future, let token): "f\(future).cancel(t\(token))"
        case .await(let future, nil, _): "a\(id) = Task { await f\(future).outcome }"
        case .await(let future, let token?, let abandons):
            "a\(id) = Task { await f\(future).outcome(cancelling: t\(token), \(abandons ? "abandon" : "wait")) }"
        case .cancelTask(let task): "a\(task).cancel()"
        case .drain(let place): "run what \(place) has"
        case .advance: "let a second pass"
        }
    }

    private func list(_ futures: [Int]) -> String { futures.map { "f\($0)" }.joined(separator: ", ") }

    private func arguments(_ place: Place?, _ token: Int?) -> String {
        [place.map { "\($0)" }, token.map { "t\($0)" }].compactMap { $0 }.joined(separator: ", ")
    }
}
