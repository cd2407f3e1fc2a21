import Linting
import Testing

/// Shapes of real code that rules of thumb took for mistakes.
@Suite struct `Paths that need not resume` {
    private func lines(_ body: String) -> [Int] { LintingTests.lines(of: .notResumed, in: continuation(body)) }

    @Test func `A flag says that the continuation was resumed before`() {
        #expect(
            lines(
                """
                var isDone = false
                service.load { value in
                    guard !isDone else { return }
                    isDone = true
                    continuation.resume(returning: value)
                }
                """) == [])
    }

    @Test func `A local closure keeps the flag`() {
        #expect(
            lines(
                """
                let isFirst = { state.withLock { done in if done { return false }; done = true; return true } }
                service.load { value in
                    guard isFirst() else { return }
                    continuation.resume(returning: value)
                }
                """) == [])
    }

    @Test func `A time limit is canceled by another closure, which resumes`() {
        let limit = "limit = Task {\nguard !Task.isCancelled else { return }\ncontinuation.resume(returning: 0)\n}"
        #expect(lines("service.load { limit?.cancel(); continuation.resume(returning: $0) }\n" + limit) == [])
        #expect(lines(limit) == [4])
    }

    @Test func `A handler is called again and again`() {
        #expect(lines("publisher.sink { if $0 == 3 { continuation.resume(returning: 3) } }") == [])
        #expect(
            lines(
                "center.addObserver(forName: name) { note in\nif note.isLast { continuation.resume(returning: 1) }\n}")
                == [])
        #expect(
            lines(
                """
                connection.stateUpdateHandler = { state in
                    switch state {
                    case .ready: continuation.resume(returning: 1)
                    default: break
                    }
                }
                """) == [])
    }

    @Test func `Even a handler that is called again hangs when self is gone`() {
        #expect(
            lines(
                "publisher.sink { [weak self] value in\nguard let self else { return }\ncontinuation.resume(with: value)\n}"
            )
                == [4])
    }

    @Test func `Another handler of the call resumes`() {
        #expect(
            lines(
                """
                publisher.load(receiveCompletion: { end in
                    if case .failure(let error) = end { continuation.resume(throwing: error) }
                }, receiveValue: { continuation.resume(returning: $0) })
                """) == [])
        #expect(
            lines(
                """
                promise.done { value in
                    if value > 0 { continuation.resume(returning: value) }
                }.catch { continuation.resume(throwing: $0) }
                """) == [])
    }

    @Test func `A closure under a lock tells the code around what it has done`() {
        #expect(
            lines(
                """
                let isWaiting = lock.perform {
                    guard isRunning else { return false }
                    waiters.append(continuation)
                    return true
                }
                if !isWaiting { continuation.resume() }
                """) == [])
        #expect(
            lines("lock.withLock {\nif isRunning { waiters.append(continuation) }\n}") == [])
    }

    @Test func `A parameter of the same name is another continuation`() {
        #expect(
            lines(
                """
                inner { continuation in
                    if ready { continuation.resume() }
                }
                continuation.resume(returning: 1)
                """) == [])
    }

    @Test func `A closure in a repeated one is repeated too`() {
        #expect(
            lines(
                """
                input.requestMediaDataWhenReady(on: queue) {
                    wait {
                        if read() { continuation.resume(returning: 1) }
                    }
                }
                """) == [])
    }

    @Test func `A variable that the function has set before is not nil`() {
        let text = """
            func load() async {
                alert = Alert()
                await withCheckedContinuation { continuation in alert?.show { continuation.resume() } }
            }
            """
        #expect(LintingTests.lines(of: .notResumed, in: text) == [])
        #expect(LintingTests.lines(of: .notResumed, in: text.replacing("alert = Alert()", with: "")) == [3])
    }

    @Test func `A function with a result tells its caller what it has done`() {
        let text = """
            mutating func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
                guard !isReady else { return false }
                waiter = continuation
                return true
            }
            """
        #expect(LintingTests.lines(of: .notResumed, in: text) == [])
    }
}
