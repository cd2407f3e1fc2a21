import OpenCombine

extension StreamCallback {
    /// A subject with an error type, because a stream of SimpleFutures can contain failures.
    static func subjects(_ count: Int, sinks: Int = 1) {
        let subject = PassthroughSubject<Int, any Error>()
        escape(subject)
        let subscriptions = (0..<sinks).map { _ in
            subject.sink(receiveCompletion: { _ in }, receiveValue: { blackHole($0) })
        }
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
        for subscription in subscriptions { subscription.cancel() }
    }

    /// OpenCombine's operators use neither a lock nor a buffer, and call each other.
    static func mappedSubjects(_ count: Int) {
        let subject = PassthroughSubject<Int, any Error>()
        escape(subject)
        let subscription = subject.map { $0 + 1 }.filter { $0 > 0 }
            .sink(receiveCompletion: { _ in }, receiveValue: { blackHole($0) })
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
        subscription.cancel()
    }
}
