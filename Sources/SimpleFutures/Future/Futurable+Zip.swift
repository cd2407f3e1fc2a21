/// Returns a future of the values of several futures of different types.
///
///     let screen = zip(profile, friends, settings)
///         .map { profile, friends, settings in … }
///
/// It fails with the first failure in time, and is canceled by the first canceled input. The other inputs continue, but
/// no longer hold a reference to it. No context is involved: it is completed on the thread that completes the last
/// input.
///
/// - Parameters:
///   - first: The future of the first value.
///   - second: The future of the second value.
///   - others: Further futures, of any types.
public func zip<A: Sendable, B: Sendable, each C: Sendable>(
    _ first: Future<A>, _ second: Future<B>, _ others: repeat Future<each C>
) -> Future<(A, B, repeat each C)> {
    var inputs: [AnyFuture] = [first, second]
    repeat inputs.append(each others)
    let result = Future<(A, B, repeat each C)>()
    Gathering.gather(inputs, to: result) { all, result in
        var values = Values(all)
        result.future(of: (A, B, repeat each C).self).settle(
            .success((values.next(as: A.self), values.next(as: B.self), repeat values.next(as: (each C).self))))
    }
    return result
}

extension Futurable {
    /// Returns a future of this value and the values of other futures: see ``zip(_:_:_:)``.
    ///
    ///     profile.zip(friends).onSuccess { profile, friends in … }
    ///
    /// - Parameters:
    ///   - other: The future of the second value.
    ///   - others: Further futures, of any types.
    public func zip<A: Sendable, each B: Sendable>(
        _ other: Future<A>, _ others: repeat Future<each B>
    ) -> Future<(T, A, repeat each B)> {
        SimpleFutures.zip(asFuture(), other, repeat each others)
    }
}

/// Takes the values out of futures that have succeeded, one after the other.
private struct Values {
    private let futures: Arrivals
    private var index = 0

    init(_ futures: Arrivals) { self.futures = futures }

    mutating func next<Value>(as type: Value.Type) -> Value {
        defer { index += 1 }
        return futures[index].settledValue(as: type)
    }
}

/// Used by only one thread.
@available(*, unavailable)
extension Values: Sendable {}
