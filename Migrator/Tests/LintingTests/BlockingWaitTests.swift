import Linting
import Testing

@Suite struct `A thread that waits for a closure` {
    private func lines(_ body: String, before: String = "") -> [Int] {
        LintingTests.lines(of: .blockingWait, in: "\(before)\nfunc run() {\n\(body)\n}")
    }

    @Test func `A semaphore that a closure signals is found`() {
        #expect(
            lines(
                "let semaphore = DispatchSemaphore(value: 0)\nload { result = $0; semaphore.signal() }\nsemaphore.wait()"
            )
                == [5])
        #expect(
            lines(
                "let done = DispatchSemaphore(value: 0)\nload { done.signal() }\nif done.wait(timeout: .now() + 1) == .success {}"
            )
                == [5])
    }

    @Test func `A group that closures leave is found`() {
        #expect(
            lines(
                """
                let group = DispatchGroup()
                for item in items {
                    group.enter()
                    load(item) { group.leave() }
                }
                group.wait()
                """) == [8])
    }

    @Test func `A group with notify is fine`() {
        #expect(
            lines("let group = DispatchGroup()\ngroup.enter()\nload { group.leave() }\ngroup.notify(queue: .main) {}")
                == [])
    }

    @Test func `A semaphore that limits how much runs is fine`() {
        #expect(lines("let limit = DispatchSemaphore(value: 4)\nlimit.wait()\nload { limit.signal() }") == [])
    }

    @Test func `A semaphore that is signaled by the same closure is fine`() {
        #expect(
            lines(
                "let gate = DispatchSemaphore(value: 0)\nqueue.async { gate.wait(); work(); gate.signal() }") == [])
    }

    @Test func `A wait in one closure for another one is left out`() {
        #expect(
            lines(
                "let gate = DispatchSemaphore(value: 0)\nactivity { gate.wait() }\nwork { gate.signal() }") == [])
    }

    @Test func `A queue that is measured is fine`() {
        #expect(
            lines(
                "let probe = DispatchSemaphore(value: 0)\nDispatchQueue.main.async { probe.signal() }\nprobe.wait()")
                == [])
    }

    @Test func `A test may wait`() {
        let wait = "let done = DispatchSemaphore(value: 0)\nload { done.signal() }\ndone.wait()"
        #expect(lines(wait, before: "import XCTest") == [])
        #expect(lines(wait, before: "import Foundation") == [5])
    }

    @Test func `A script may wait`() {
        let wait = "func run() {\nlet done = DispatchSemaphore(value: 0)\nload { done.signal() }\ndone.wait()\n}"
        #expect(LintingTests.lines(of: .blockingWait, in: "#!/usr/bin/swift\n" + wait) == [])
    }
}
