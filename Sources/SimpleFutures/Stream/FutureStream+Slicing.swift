extension FutureStream {
    /// Returns a stream of the first elements, so many of them; then it finishes and lets go of this one.
    ///
    /// Failures count, as they are elements.
    ///
    /// - Parameters:
    ///   - count: How many elements to take. It must not be negative. With 0 the new stream has finished from the
    ///     start.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func take(
        _ count: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        require(
            count >= 0,
            "`take` was given the count \(count); a stream can take no fewer than 0 elements. Pass 0 to take none.",
            fileID, line)
        let derived = FutureStream(producedWith: capacity)
        guard count > 0 else {
            derived.finish()
            return derived
        }
        let left = Memory(count)
        core.subscribe(.elements, under: cancelToken, target: derived.core) { event, target in
            guard left.value > 0 else { return }
            left.value -= 1
            target?.pass(event.result(as: T.self))
            if left.value == 0 { target?.finish() }
        }
        return derived
    }

    /// Returns a stream of all elements but the first ones.
    ///
    /// Failures count, as they are elements. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - count: How many elements to leave out. It must not be negative.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The place of the call, for diagnostics.
    ///   - line: The place of the call, for diagnostics.
    public func drop(
        _ count: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        require(
            count >= 0,
            "`drop` was given the count \(count); a stream can drop no fewer than 0 elements. Pass 0 to drop none.",
            fileID, line)
        let left = Memory(count)
        return derive(.elements, on: ImmediateContext(), under: cancelToken) { event, target in
            if left.value == 0 { target.pass(event.result(as: T.self)) } else { left.value -= 1 }
        }
    }

    /// Returns a stream of the values that differ from the one before.
    ///
    /// What Combine calls `removeDuplicates`: a value that comes again after another one is not left out. Failures
    /// pass, and are not compared. It ends as this stream does.
    ///
    /// - Parameters:
    ///   - context: Where values are compared.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - areEqual: Says whether the first value, which was emitted last, and the second are the same. What it throws
    ///     is a failure of the new stream, and the second value is left out.
    public func distinct(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none,
        by areEqual: @escaping @Sendable (T, T) throws -> Bool
    ) -> FutureStream<T> {
        let last = Memory<T?>(nil)
        return derive(.success, on: context, under: cancelToken) { event, target in
            let value = event.value(as: T.self)
            do {
                if let last = last.value, try areEqual(last, value) { return }
                last.value = value
                target.pass(.success(value))
            } catch { target.emit(error: error) }
        }
    }
}

extension FutureStream where T: Equatable {
    /// Returns a stream of the values that differ from the one before, as `==` says.
    ///
    /// It is ``distinct(context:cancelToken:by:)`` for values that are `Equatable`.
    ///
    /// - Parameters:
    ///   - context: Where values are compared.
    ///   - cancelToken: When canceled, cancels the new stream.
    public func distinct(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        distinct(context: context, cancelToken: cancelToken) { $0 == $1 }
    }
}
