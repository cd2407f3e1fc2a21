import Linting
import Testing

@Suite struct `A path that doesn't resume` {
    private func lines(_ body: String) -> [Int] { LintingTests.lines(of: .notResumed, in: continuation(body)) }

    @Test func `A guard that leaves because self is gone is found`() {
        #expect(
            lines(
                """
                service.load { [weak self] value in
                    guard let self else { return }
                    continuation.resume(returning: value)
                }
                """) == [4])
        #expect(lines("guard let self = self else { return }\nservice.load { continuation.resume(with: $0) }") == [3])
        #expect(
            lines("service.load { [weak self] in\nif let self { continuation.resume(returning: $0) }\n}") == [4])
    }

    @Test func `A call that is skipped because self is gone is found`() {
        #expect(lines("self?.service.load { continuation.resume(with: $0) }") == [3])
        #expect(lines("self?.continuation = continuation") == [3])
        #expect(lines("delegate?.service().load { continuation.resume(with: $0) }") == [3])
    }

    @Test func `A guard with a resume in its else is fine`() {
        #expect(
            lines(
                """
                service.load { [weak self] value in
                    guard let self else {
                        continuation.resume(throwing: Gone())
                        return
                    }
                    continuation.resume(returning: value)
                }
                """) == [])
        #expect(
            lines(
                """
                service.load { [weak self] value in
                    guard let self else { return continuation.resume(throwing: Gone()) }
                    continuation.resume(returning: self.value)
                }
                """) == [])
    }

    @Test func `A handler that resumes only if a condition holds is found`() {
        #expect(
            lines(
                """
                service.load { value, error in
                    if let error {
                        continuation.resume(throwing: error)
                    } else if let value {
                        continuation.resume(returning: value)
                    }
                }
                """) == [6])
        #expect(lines("if ready { continuation.resume(returning: 1) }") == [3])
    }

    @Test func `An early return is found`() {
        #expect(
            lines(
                """
                service.load { value, error in
                    if error != nil {
                        print("failed")
                        return
                    }
                    continuation.resume(returning: value)
                }
                """) == [6])
    }

    @Test func `A case without a resume is found`() {
        #expect(
            lines(
                """
                service.load { result in
                    switch result {
                    case .success(let value):
                        continuation.resume(returning: value)
                    case .failure:
                        print("failed")
                    }
                }
                """) == [7])
        #expect(lines("switch state {\ncase 1: continuation.resume(returning: 1)\ndefault: break\n}") == [5])
        #expect(
            lines(
                "switch state {\ncase 1: fallthrough\ncase 2: continuation.resume(returning: 1)\ndefault: fatalError()\n}"
            )
                == [])
    }

    @Test func `A switch in which each case resumes is fine`() {
        #expect(
            lines(
                """
                service.load { result in
                    switch result {
                    case .success(let value): continuation.resume(returning: value)
                    case .failure(let error): continuation.resume(throwing: error)
                    @unknown default: fatalError("unknown")
                    }
                }
                """) == [])
    }

    @Test func `A catch without a resume is found`() {
        #expect(
            lines(
                """
                do {
                    continuation.resume(returning: try read())
                } catch {
                    print(error)
                }
                """) == [5])
        #expect(
            lines(
                "do {\ncontinuation.resume(returning: try read())\n} catch {\ncontinuation.resume(throwing: error)\n}")
                == [])
    }

    @Test func `A catch that is never reached is fine`() {
        #expect(lines("do {\ncontinuation.resume(returning: try! read())\n} catch {\nprint(error)\n}") == [])
    }

    @Test func `A Task whose closure throws is found`() {
        #expect(
            lines(
                """
                Task {
                    let value = try await read()
                    continuation.resume(returning: value)
                }
                """) == [4])
        #expect(lines("Task {\ncontinuation.resume(returning: try? await read())\n}") == [])
    }

    @Test func `A defer that resumes covers all paths`() {
        #expect(lines("defer { continuation.resume(returning: 1) }\nguard ready else { return }\nprint(1)") == [])
    }

    @Test func `A defer that was not reached does not count`() {
        #expect(lines("guard ready else { return }\ndefer { continuation.resume(returning: 1) }\nprint(1)") == [3])
    }

    @Test func `A loop that may run zero times is found`() {
        #expect(lines("for item in items {\ncontinuation.resume(returning: item)\nreturn\n}") == [3])
        #expect(lines("while true {\nif let item = next() { return continuation.resume(returning: item) }\n}") == [])
        #expect(
            lines("outer: while true {\nfor item in items {\nif item == 3 { break outer }\n}\n}\nprint(1)") == [2])
    }

    @Test func `A call that never returns ends its path`() {
        #expect(lines("guard ready else { fatalError() }\ncontinuation.resume(returning: 1)") == [])
        #expect(lines("guard ready else { preconditionFailure(\"\") }\ncontinuation.resume(returning: 1)") == [])
        let own =
            "func fail() -> Never { fatalError() }\n"
            + continuation("if ready {\ncontinuation.resume()\n} else { fail() }")
        #expect(LintingTests.lines(of: .notResumed, in: own) == [])
    }

    @Test func `A continuation that is handed over is fine`() {
        #expect(lines("handle(continuation)") == [])
        #expect(lines("self.continuation = continuation") == [])
        #expect(lines("continuations.append(continuation)") == [])
        #expect(lines("service.load(completion: continuation.resume)") == [])
        #expect(lines("let delegate = Delegate(continuation: continuation)\ndelegate.start()") == [])
    }

    @Test func `A continuation that nothing uses is found`() {
        #expect(lines("service.load { print($0) }") == [2])
    }

    @Test func `A closure with an anonymous parameter is checked`() {
        #expect(
            LintingTests.lines(
                of: .notResumed, in: "await withCheckedContinuation { if ready { $0.resume() } }") == [1])
        #expect(
            LintingTests.lines(of: .notResumed, in: "await withCheckedContinuation { $0.resume(returning: 1) }") == [])
    }

    @Test func `A function that is given a continuation is checked`() {
        #expect(
            LintingTests.lines(
                of: .notResumed,
                in: """
                    func finish(_ continuation: CheckedContinuation<Int, Never>, with value: Int?) {
                        guard let value else { return }
                        continuation.resume(returning: value)
                    }
                    """) == [2])
    }

    @Test func `A local function that resumes hands over where it is called`() {
        #expect(
            lines(
                """
                func attempt() {
                    service.load { value in
                        if let value { continuation.resume(returning: value) } else { attempt() }
                    }
                }
                attempt()
                """) == [])
        #expect(lines("let finish = { continuation.resume(returning: 1) }\nif ready { finish() }") == [4])
    }

    @Test func `Conditional expressions are branches`() {
        #expect(lines("ready ? continuation.resume(returning: 1) : print(2)") == [3])
        #expect(lines("ready ? continuation.resume(returning: 1) : continuation.resume(returning: 2)") == [])
    }

    @Test func `A compilation condition is not a branch`() {
        #expect(lines("#if os(iOS)\ncontinuation.resume(returning: 1)\n#endif") == [])
    }
}
