extension StreamModel {
    /// The buffer of an iterator.
    final class Buffer {
        let kind: StreamProgram.Loop
        let buffering: StreamProgram.Buffering
        var elements: [End] = []
        var dropped = 0
        var subscriber: Subscriber?
        private var lag = 0
        private var hasOverflown = false
        private var end: End?
        /// Whether its last element was taken.
        ///
        /// After that come the end, and then nothing more.
        private var hasClosed = false
        private var isOver = false

        init(_ kind: StreamProgram.Loop, _ buffering: StreamProgram.Buffering) {
            self.kind = kind
            self.buffering = buffering
        }

        func receive(_ event: End) {
            guard event != .finished, event != .cancelled else {
                end = event
                return
            }
            elements.append(event)
            guard elements.count > buffering.bound || hasOverflown else { return }
            dropped += 1
            switch buffering.kind {
            case .newest: elements.removeFirst()
            case .reportingLag:
                elements.removeFirst()
                lag += 1
            case .oldest: elements.removeLast()
            case .failing:
                elements.removeLast()
                hasOverflown = true
            }
        }

        /// The available element; nil when there is none.
        func next(close: (Subscriber) -> Void) -> End? {
            guard !isOver, let (next, isLast) = next() else { return nil }
            if isLast {
                isOver = kind == .values || next == .finished
                hasClosed = true
                dropped += elements.count
                elements = []
                subscriber.map(close)
            }
            return next
        }

        /// The available element, and whether it is the last before the end.
        private func next() -> (End, isLast: Bool)? {
            if hasClosed { return (.finished, true) }
            if lag > 0 {
                defer { lag = 0 }
                if kind == .results { return (.overflow(lag), false) }
            }
            if !elements.isEmpty {
                let element = elements.removeFirst()
                return (element, kind == .values && element.isFailure)
            }
            if hasOverflown { return (.overflow(dropped), true) }
            return end.map { ($0 == .cancelled ? .cancellationError : $0, true) }
        }
    }

    func iterate(_ kind: StreamProgram.Loop, over stream: Node, _ buffering: StreamProgram.Buffering) -> Buffer {
        let buffer = Buffer(kind, buffering)
        let subscriber = Subscriber(to: stream, under: nil, wants: { _ in true }) { [unowned buffer] in
            buffer.receive($0)
        }
        buffer.subscriber = subscriber
        subscribe(subscriber)
        return buffer
    }
}
