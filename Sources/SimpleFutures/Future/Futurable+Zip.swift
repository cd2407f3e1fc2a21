/// Returns a future of the values of several futures of different types.
///
///     let screen = zip(profile, friends, settings)
///         .map { profile, friends, settings in … }
///
/// It fails with the first failure in time, and is canceled by the first canceled input. The other inputs continue, but
/// no longer hold a reference to it. No context is involved: it is completed on the thread that completes the last
/// input. To cancel it, pass a token to what follows, such as `map(cancelToken:)`.
///
/// The compiler does not see the values of more than six futures in a closure or behind a dot, unless you write the type
/// of the new future.
///
/// - Parameters:
///   - first: The future of the first value.
///   - second: The future of the second value.
///   - others: Further futures, of any types.
public func zip<A: Sendable, B: Sendable, each C: Sendable>(
    _ first: Future<A>, _ second: Future<B>, _ others: repeat Future<each C>
) -> Future<(A, B, repeat each C)> {
    zipAll(first, second, repeat each others)
}

// With a parameter pack, the compiler often doesn't see that a closure has the right number of parameters: `{ user, image
// in print(user.name) }` is an error without a reason. So there are overloads for the usual numbers of futures. Those for
// two and three are inlinable: a pack is not specialized in the user's module, and took twice the instructions.

/// Returns a future of the values of two futures: see ``zip(_:_:_:)``.
@_documentation(visibility: internal) @inlinable
public func zip<A: Sendable, B: Sendable>(_ first: Future<A>, _ second: Future<B>) -> Future<(A, B)> {
    let result = Future<(A, B)>()
    Gathering.gather([first, second], to: result) { all, result in
        let values = (all[0].settledValue(as: A.self), all[1].settledValue(as: B.self))
        result.future(of: (A, B).self).settle(.success(values))
    }
    return result
}

/// Returns a future of the values of three futures: see ``zip(_:_:_:)``.
@_documentation(visibility: internal) @inlinable
public func zip<A: Sendable, B: Sendable, C: Sendable>(
    _ first: Future<A>, _ second: Future<B>, _ third: Future<C>
) -> Future<(A, B, C)> {
    let result = Future<(A, B, C)>()
    Gathering.gather([first, second, third], to: result) { all, result in
        let values = (
            all[0].settledValue(as: A.self), all[1].settledValue(as: B.self), all[2].settledValue(as: C.self)
        )
        result.future(of: (A, B, C).self).settle(.success(values))
    }
    return result
}

/// Returns a future of the values of four futures: see ``zip(_:_:_:)``.
@_documentation(visibility: internal)
public func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
    _ first: Future<A>, _ second: Future<B>, _ third: Future<C>, _ fourth: Future<D>
) -> Future<(A, B, C, D)> {
    zipAll(first, second, third, fourth)
}

/// Returns a future of the values of five futures: see ``zip(_:_:_:)``.
@_documentation(visibility: internal)
public func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
    _ first: Future<A>, _ second: Future<B>, _ third: Future<C>, _ fourth: Future<D>, _ fifth: Future<E>
) -> Future<(A, B, C, D, E)> {
    zipAll(first, second, third, fourth, fifth)
}

/// Returns a future of the values of six futures: see ``zip(_:_:_:)``.
@_documentation(visibility: internal)
public func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable, F: Sendable>(
    _ first: Future<A>, _ second: Future<B>, _ third: Future<C>, _ fourth: Future<D>, _ fifth: Future<E>,
    _ sixth: Future<F>
) -> Future<(A, B, C, D, E, F)> {
    zipAll(first, second, third, fourth, fifth, sixth)
}

private func zipAll<each A: Sendable>(_ futures: repeat Future<each A>) -> Future<(repeat each A)> {
    var inputs: [AnyFuture] = []
    repeat inputs.append(each futures)
    let result = Future<(repeat each A)>()
    Gathering.gather(inputs, to: result) { all, result in
        var values = Values(all)
        result.future(of: (repeat each A).self).settle(.success((repeat values.next(as: (each A).self))))
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
        zipAll(asFuture(), other, repeat each others)
    }

    /// Returns a future of this value and the value of another future: see ``zip(_:_:)``.
    @_documentation(visibility: internal) @inlinable
    public func zip<A: Sendable>(_ other: Future<A>) -> Future<(T, A)> { SimpleFutures.zip(asFuture(), other) }

    /// Returns a future of this value and the values of two other futures: see ``zip(_:_:)``.
    @_documentation(visibility: internal) @inlinable
    public func zip<A: Sendable, B: Sendable>(_ second: Future<A>, _ third: Future<B>) -> Future<(T, A, B)> {
        SimpleFutures.zip(asFuture(), second, third)
    }

    /// Returns a future of this value and the values of three other futures: see ``zip(_:_:)``.
    @_documentation(visibility: internal)
    public func zip<A: Sendable, B: Sendable, C: Sendable>(
        _ second: Future<A>, _ third: Future<B>, _ fourth: Future<C>
    ) -> Future<(T, A, B, C)> {
        zipAll(asFuture(), second, third, fourth)
    }

    /// Returns a future of this value and the values of four other futures: see ``zip(_:_:)``.
    @_documentation(visibility: internal)
    public func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable>(
        _ second: Future<A>, _ third: Future<B>, _ fourth: Future<C>, _ fifth: Future<D>
    ) -> Future<(T, A, B, C, D)> {
        zipAll(asFuture(), second, third, fourth, fifth)
    }

    /// Returns a future of this value and the values of five other futures: see ``zip(_:_:)``.
    @_documentation(visibility: internal)
    public func zip<A: Sendable, B: Sendable, C: Sendable, D: Sendable, E: Sendable>(
        _ second: Future<A>, _ third: Future<B>, _ fourth: Future<C>, _ fifth: Future<D>, _ sixth: Future<E>
    ) -> Future<(T, A, B, C, D, E)> {
        zipAll(asFuture(), second, third, fourth, fifth, sixth)
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
