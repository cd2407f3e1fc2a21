import SimpleFutures

typealias FutureCombinator = Combinator<Future<Int>>

extension Combinator where Subject == Future<Int> {
    /// All functions that derive a future from another.
    static var all: [Self] { ofOneFuture + ofManyFutures }

    /// The result for each way in which a source can end.
    ///
    /// A success has the value 1.
    func outcome(of ending: Source.Ending) -> Outcome<Int> {
        switch ending {
        case .success: .success(1)
        case .failure, .breach: failure ?? ending.passedOn(success: .success(1))
        case .cancellation: cancellation ?? .cancelled
        }
    }

    /// Whether the closure runs for this end of the source.
    func runs(on ending: Source.Ending) -> Bool {
        switch runs {
        case .never: false
        case .atOnce: true
        case .value: ending == .success
        case .error: ending == .failure || ending == .breach
        }
    }
}

private let recovered = Outcome<Int>.success(Use.recovered)

private let ofOneFuture: [FutureCombinator] = [
    .init("map", runs: .value) { source, use in
        source.map(context: use.context, cancelToken: use.token) { try use.pass($0) }
    },
    .init("map of a property", runs: .value, canThrow: false) { source, use in
        source.map(\.[getting: Getter(use)], context: use.context, cancelToken: use.token)
    },
    .init("flatMap", runs: .value, inner: .future) { source, use in
        source.flatMap(context: use.context, cancelToken: use.token) { use.future(try use.pass($0)) }
    },
    .init("flatMap to a stream", runs: .value, inner: .stream) { source, use in
        let first = Future<Int>()
        first.completeWith(
            stream: source.flatMap(context: use.context, cancelToken: use.token) { use.stream(try use.pass($0)) })
        return first
    },
    .init("withFilter", runs: .value) { source, use in
        source.withFilter(context: use.context, cancelToken: use.token) { try use.pass($0) > 0 }
    },
    .init("filter", runs: .value) { source, use in
        source.filter(context: use.context, cancelToken: use.token) { try use.pass($0) > 0 }
    },
    .init("compactMap", runs: .value) { source, use in
        source.compactMap(context: use.context, cancelToken: use.token) { try use.pass($0) as Int? }
    },
    .init("andThen", runs: .value, canThrow: false) { source, use in
        source.andThen(context: use.context, cancelToken: use.token) { _ = try? use.pass($0) }
    },
    .init("recover", runs: .error, failure: recovered) { source, use in
        source.recover(context: use.context, cancelToken: use.token) { try use.recover($0) }
    },
    .init("recoverWith", runs: .error, inner: .future, failure: recovered) { source, use in
        source.recoverWith(context: use.context, cancelToken: use.token) { use.future(try use.recover($0)) }
    },
    .init("recoverWith a stream", runs: .error, inner: .stream, failure: recovered) { source, use in
        let first = Future<Int>()
        first.completeWith(
            stream: source.recoverWith(context: use.context, cancelToken: use.token) { use.stream(try use.recover($0)) }
        )
        return first
    },
    .init("flatMapError", runs: .error, inner: .future, failure: recovered) { source, use in
        source.flatMapError(context: use.context, cancelToken: use.token) { use.future(try use.recover($0)) }
    },
    .init("mapError", runs: .error, canThrow: false, failure: .failure(Oops.other)) { source, use in
        source.mapError(context: use.context, cancelToken: use.token) { error in
            _ = try? use.recover(error)
            return Oops.other
        }
    },
    .init("?? a value", takesToken: false, isLate: true, failure: recovered) { source, _ in source ?? Use.recovered },
    .init("?? a future", takesToken: false, isLate: true, failure: recovered) { source, _ in
        source ?? Future(value: Use.recovered)
    },
    .init("materialize", takesToken: false, failure: recovered) { source, _ in
        source.materialize().map(context: immediate) { $0.value ?? Use.recovered }
    },
    .init("asVoid", takesToken: false) { source, _ in source.asVoid().map(context: immediate) { 1 } },
    .init("delay", waits: true) { source, use in source.delay(.seconds(1), context: use.clock, cancelToken: use.token)
    },
    .init("timeout") { source, use in
        source.timeout(.seconds(1_000), context: use.clock, cancelToken: use.token)
    },
    .init("init(dependent:)", takesToken: false) { source, use in Future(context: use.context, dependent: source) },
    .init("completeWith", takesToken: false) { source, use in
        let target = Future<Int>()
        target.completeWith(context: use.context, future: source)
        return target
    },
    .init("completeWith of a promise", takesToken: false) { source, use in
        let target = Promise<Int>()
        target.completeWith(context: use.context, future: source)
        return target.future
    },
    .init("retry", runs: .atOnce) { source, use in
        .retry(1, context: use.context, cancelToken: use.token) {
            try use.pass(0)
            return source
        }
    },
]

/// The combinators of several futures, with the source as each of the inputs.
private let ofManyFutures: [FutureCombinator] = ManyInputs.allCases.map { combinator in
    func outcome(of ending: Source.Ending) -> Outcome<Int>? {
        let whole = combinator.outcome(ofOneAlone: ending)
        if case .success = whole { return .success(-1) }
        return whole == ending.passedOn(success: .pending) ? nil : .failure(FuturesError.noSuchElement)
    }
    return FutureCombinator(
        combinator.rawValue, runs: combinator.runs, count: combinator.runCount,
        takesToken: false, failure: outcome(of: .failure), cancellation: outcome(of: .cancellation)
    ) { source, use in
        combinator.apply([source, source, source], on: use.context) { try use.pass($0) }
            .map(context: immediate) { $0[0] < 0 ? -1 : $0[0] }
    }
}
