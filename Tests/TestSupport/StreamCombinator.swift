import SimpleFutures

typealias StreamCombinator = Combinator<FutureStream<Int>>

extension Combinator where Subject == FutureStream<Int> {
    /// All functions that derive a stream from another.
    static var all: [Self] { combinators }

    /// The event for a failure.
    func passedOn(_ error: Oops) -> Heard<Int> {
        if case .success(let value) = failure { .value(value) } else { .failure(error) }
    }
}

private let recovered = Outcome<Int>.success(Use.recovered)

private let combinators: [StreamCombinator] = [
    .init("map", runs: .value) { stream, use in
        stream.map(context: use.context, cancelToken: use.token) { try use.pass($0) }
    },
    .init("map of a property", runs: .value, canThrow: false) { stream, use in
        stream.map(\.[getting: Getter(use)], context: use.context, cancelToken: use.token)
    },
    .init("compactMap", runs: .value) { stream, use in
        stream.compactMap(context: use.context, cancelToken: use.token) { try use.pass($0) as Int? }
    },
    .init("filter", runs: .value) { stream, use in
        stream.filter(context: use.context, cancelToken: use.token) { try use.pass($0) > 0 }
    },
    .init("withFilter", runs: .value) { stream, use in
        stream.withFilter(context: use.context, cancelToken: use.token) { try use.pass($0) > 0 }
    },
    .init("andThen", runs: .value, canThrow: false) { stream, use in
        stream.andThen(context: use.context, cancelToken: use.token) { _ = try? use.pass($0) }
    },
    .init("scan", runs: .value) { stream, use in
        stream.scan(0, context: use.context, cancelToken: use.token) { try use.pass($1) }
    },
    .init("distinct") { stream, use in stream.distinct(context: use.context, cancelToken: use.token) },
    .init("distinct by a closure", runs: .value) { stream, use in
        stream.distinct(context: use.context, cancelToken: use.token) { try $0 == use.pass($1) }
    },
    .init("recover", runs: .error, failure: recovered) { stream, use in
        stream.recover(context: use.context, cancelToken: use.token) { try use.recover($0) }
    },
    .init("recoverWith a future", runs: .error, inner: .future, failure: recovered) { stream, use in
        stream.recoverWith(context: use.context, cancelToken: use.token) { use.future(try use.recover($0)) }
    },
    .init("recoverWith a stream", runs: .error, inner: .stream, failure: recovered) { stream, use in
        stream.recoverWith(context: use.context, cancelToken: use.token) { use.stream(try use.recover($0)) }
    },
    .init("mapError", runs: .error, canThrow: false) { stream, use in
        stream.mapError(context: use.context, cancelToken: use.token) { error in
            _ = try? use.recover(error)
            return error
        }
    },
    .init("flatMap to a future", runs: .value, inner: .future) { stream, use in
        stream.flatMap(context: use.context, cancelToken: use.token) { use.future(try use.pass($0)) }
    },
    .init("flatMapLatest to a stream", runs: .value, inner: .stream) { stream, use in
        stream.flatMapLatest(context: use.context, cancelToken: use.token) { use.stream(try use.pass($0)) }
    },
    .init("flatMap to a stream", runs: .value, inner: .stream) { stream, use in
        stream.flatMap(context: use.context, cancelToken: use.token) { use.stream(try use.pass($0)) }
    },
    .init("take") { stream, use in stream.take(.max, cancelToken: use.token) },
    .init("drop") { stream, use in stream.drop(0, cancelToken: use.token) },
    .init("merge") { stream, use in stream.merge(FutureStream(), cancelToken: use.token) },
    // The result of `zip` is one link further from its source than the others.
    .init("zip") { stream, use in stream.zip(stream, cancelToken: use.token).map(context: immediate) { $0.0 } },
    .init("zip of three") { stream, use in
        zip(stream, stream, stream, cancelToken: use.token).map(context: immediate) { $0.0 }
    },
    .init("combineLatest") { stream, use in
        stream.combineLatest(FutureStream(value: 0), cancelToken: use.token).map(context: immediate) { $0.0 }
    },
    .init("withLatest") { stream, use in
        stream.withLatest(from: FutureStream(value: 0), cancelToken: use.token).map(context: immediate) { $0.0 }
    },
    .init("timeout") { stream, use in
        stream.timeout(.seconds(1_000_000), context: use.clock, cancelToken: use.token)
    },
    .init("debounce", waits: true) { stream, use in
        stream.debounce(.seconds(1), context: use.clock, cancelToken: use.token)
    },
    .init("throttle", waits: true) { stream, use in
        stream.throttle(.seconds(1), context: use.clock, cancelToken: use.token)
    },
    .init("init(dependent:)", takesToken: false) { stream, use in
        FutureStream(capacity: stream.capacity, context: use.context, dependent: stream)
    },
]
