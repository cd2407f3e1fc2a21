extension StreamModel {
    /// The buffer of an iterator.
    final class Buffer {
        let kind: StreamProgram.Loop
        let buffering: StreamProgram.Buffering
        var elements: [End] = []
        var dropped = 0
        /// The first failure that was dropped, and how many elements come before it.
        ///
        /// A loop over `values` throws it in its place.
        private(set) var lostFailure: (failure: End, before: Int)?
        var subscriber: Subscriber?
        private var lag = 0
        private var hasOverflown = false
        private var end: End?
        /// Whether its last element was taken.
        ///
        /// After that come the end, and then nothing more.
        private var hasClosed = false
        private var isOver = false
        /// Whether it has an end, or is a loop over `results`.
        private var keepsNoFailure: Bool

        init(_ kind: StreamProgram.Loop, _ buffering: StreamProgram.Buffering) {
            self.kind = kind
            self.buffering = buffering
            keepsNoFailure = kind == .results
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
            case .newest: lose(elements.removeFirst(), before: 0)
            case .reportingLag:
                lose(elements.removeFirst(), before: 0)
                lag += 1
            case .oldest: lose(elements.removeLast(), before: elements.count)
            case .failing:
                lose(elements.removeLast(), before: elements.count)
                hasOverflown = true
            }
        }

        private func lose(_ element: End, before count: Int) {
            if element.isFailure, lostFailure == nil, !keepsNoFailure { lostFailure = (element, count) }
        }

        /// The available element; nil when there is none.
        func next(close: (Subscriber) -> Void) -> End? {
            guard !isOver, let (next, isLast) = next() else { return nil }
            if isLast {
                forgetFailures()
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
            if let lostFailure, lostFailure.before == 0, !hasOverflown {
                dropped -= 1
                return (lostFailure.failure, true)
            }
            if lag > 0 {
                defer { lag = 0 }
                if kind == .results { return (.overflow(lag), false) }
            }
            if !elements.isEmpty {
                let element = elements.removeFirst()
                lostFailure?.before -= 1
                return (element, kind == .values && element.isFailure)
            }
            if hasOverflown { return (.overflow(dropped), true) }
            return end.map { ($0 == .cancelled ? .cancellationError : $0, true) }
        }

        private func forgetFailures() { (lostFailure, keepsNoFailure) = (nil, true) }
    }

    func iterate(_ kind: StreamProgram.Loop, over stream: Node, _ buffering: StreamProgram.Buffering) -> Buffer {
        let buffer = Buffer(kind, buffering)
        let subscriber = Subscriber(to: stream, under: nil) { [unowned buffer] in
            buffer.receive($0)
        }
        buffer.subscriber = subscriber
        subscribe(subscriber)
        return buffer
    }
}
