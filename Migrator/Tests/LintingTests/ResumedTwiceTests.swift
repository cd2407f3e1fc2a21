import Linting
import Testing

@Suite struct `A path that resumes twice` {
    private func lines(_ body: String) -> [Int] { LintingTests.lines(of: .resumedTwice, in: continuation(body)) }

    @Test func `A missing return after the first resume is found`() {
        #expect(
            lines(
                """
                service.load { value, error in
                    if let error {
                        continuation.resume(throwing: error)
                    }
                    continuation.resume(returning: value)
                }
                """) == [7])
    }

    @Test func `A missing return before a guard is found`() {
        #expect(
            lines(
                """
                if let error { continuation.resume(throwing: error) }
                guard let value else { return continuation.resume(throwing: Missing()) }
                continuation.resume(returning: value)
                """) == [4, 5])
    }

    @Test func `A return between them is fine`() {
        #expect(
            lines(
                """
                if let error {
                    continuation.resume(throwing: error)
                    return
                }
                continuation.resume(returning: value)
                """) == [])
        #expect(lines("guard ready else { return continuation.resume() }\ncontinuation.resume()") == [])
    }

    @Test func `A second resume under a condition of its own is no certain mistake`() {
        #expect(
            lines(
                """
                if let error { continuation.resume(throwing: error) }
                if let value { continuation.resume(returning: value) }
                """) == [])
    }

    @Test func `A catch after a resume that throws first is fine`() {
        #expect(
            lines(
                "do {\ncontinuation.resume(returning: try read())\n} catch {\ncontinuation.resume(throwing: error)\n}")
                == [])
        #expect(
            lines(
                """
                do {
                    continuation.resume(returning: 1)
                    try close()
                } catch {
                    continuation.resume(throwing: error)
                }
                """) == [])
    }

    @Test func `A defer that resumes again is found`() {
        #expect(lines("defer { continuation.resume() }\ncontinuation.resume()") == [3])
    }

    @Test func `A loop that goes on after a resume is found`() {
        #expect(lines("for item in items {\nif item.isLast { continuation.resume(returning: item) }\n}") == [4])
        #expect(lines("for item in items {\ncontinuation.resume(returning: item)\nbreak\n}") == [])
        #expect(lines("for item in items where item > 3 {\nreturn continuation.resume(returning: item)\n}") == [])
    }

    @Test func `Handlers for success and failure are fine`() {
        #expect(
            lines(
                """
                service.load(success: { continuation.resume(returning: $0) }, failure: { continuation.resume(throwing: $0) })
                """) == [])
    }

    @Test func `A flag guards the second one`() {
        #expect(
            lines(
                """
                var isDone = false
                if quick { continuation.resume(); isDone = true }
                guard !isDone else { return }
                continuation.resume()
                """) == [])
    }
}
