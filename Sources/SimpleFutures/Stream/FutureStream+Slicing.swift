extension FutureStream {
    /// Returns a stream of a number of first elements; then it finishes and unsubscribes from this one.
    ///
    /// Failures count, because they are elements.
    ///
    /// - Parameters:
    ///   - count: How many elements to take. It must not be negative. With 0 the new stream is finished from the start,
    ///     unless the token is canceled.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @inlinable
    public func take(
        _ count: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        core.take(count, into: derived.core, under: cancelToken, fileID, line) { $1.pass($0.result(as: T.self)) }
        return derived
    }

    /// Returns a stream without a number of first elements.
    ///
    /// Failures count, because they are elements. It ends like this stream.
    ///
    /// - Parameters:
    ///   - count: How many elements to drop. It must not be negative.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - fileID: The file of the call, for diagnostics.
    ///   - line: The line of the call.
    @inlinable
    public func drop(
        _ count: Int, cancelToken: CancelToken = .none, fileID: StaticString = #fileID, line: UInt = #line
    ) -> FutureStream<T> {
        let derived = FutureStream(producedWith: capacity)
        core.drop(count, into: derived.core, under: cancelToken, fileID, line) { $1.pass($0.result(as: T.self)) }
        return derived
    }

    /// Returns a stream without consecutive duplicate values.
    ///
    /// Same as Combine's `removeDuplicates`: only consecutive values are compared. Failures are passed on and not
    /// compared. It ends like this stream.
    ///
    /// - Parameters:
    ///   - context: Runs the comparison.
    ///   - cancelToken: When canceled, cancels the new stream.
    ///   - areEqual: Returns whether the last emitted value (first) and the new one (second) are the same. If it
    ///     throws, the error is a failure of the new stream, and the new value is dropped.
    @inlinable
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
    /// Returns a stream without consecutive values that are equal by `==`.
    ///
    /// Same as ``distinct(context:cancelToken:by:)`` for values that are `Equatable`.
    ///
    /// - Parameters:
    ///   - context: Runs the comparison.
    ///   - cancelToken: When canceled, cancels the new stream.
    @inlinable
    public func distinct(
        context: any ExecutionContext = QueueContext.futuresDefault, cancelToken: CancelToken = .none
    ) -> FutureStream<T> {
        distinct(context: context, cancelToken: cancelToken) { $0 == $1 }
    }
}

extension StreamCore {
    @usableFromInline
    func take(
        _ count: Int, into target: StreamCore, under token: CancelToken, _ fileID: StaticString, _ line: UInt,
        forwarding forward: @escaping @Sendable (StreamEvent, StreamCore) -> Void
    ) {
        let left = counter(count, of: "take", fileID, line)
        guard count > 0 else {
            if token.isCancelled { target.cancelAsTarget() } else { target.finish() }
            return
        }
        subscribe(.elements, under: token, target: target) { event, target in
            guard left.value > 0 else { return }
            left.value -= 1
            guard let target else { return }
            if left.value > 0 { forward(event, target) } else { target.passLast { forward(event, target) } }
        }
    }

    @usableFromInline
    func drop(
        _ count: Int, into target: StreamCore, under token: CancelToken, _ fileID: StaticString, _ line: UInt,
        forwarding forward: @escaping @Sendable (StreamEvent, StreamCore) -> Void
    ) {
        let left = counter(count, of: "drop", fileID, line)
        subscribe(.elements, under: token, target: target) { event, target in
            guard let target else { return }
            if left.value == 0 { forward(event, target) } else { left.value -= 1 }
        }
    }

    /// Checks the number of elements that an operation was given, and returns it as a counter.
    private func counter(_ count: Int, of operation: String, _ fileID: StaticString, _ line: UInt) -> Memory<Int> {
        require(
            count >= 0,
            "`\(operation)` was given the count \(count); it must be 0 or more. Pass 0 to \(operation) no elements.",
            fileID, line)
        return Memory(count)
    }
}
