import OpenCombine

extension StreamCallback {
    /// A subject with an error type, because a stream of SimpleFutures can contain failures.
    static func subjects(_ count: Int) {
        let subject = PassthroughSubject<Int, any Error>()
        escape(subject)
        let subscription = subject.sink(receiveCompletion: { _ in }, receiveValue: { blackHole($0) })
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
        subscription.cancel()
    }
}
