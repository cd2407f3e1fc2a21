import OpenCombine

extension StreamCallback {
    /// A subject that may fail, as a stream of ours may.
    static func subjects(_ count: Int) {
        let subject = PassthroughSubject<Int, any Error>()
        escape(subject)
        let subscription = subject.sink(receiveCompletion: { _ in }, receiveValue: { blackHole($0) })
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
        subscription.cancel()
    }
}
