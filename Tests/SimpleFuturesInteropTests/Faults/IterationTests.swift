import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

@Suite("Faults: loops", .timeLimit(.minutes(10)))
struct IterationTests {
    // In a process of its own, since the handler is one for all.
    @Test func `a subscription that is iterated a second time is reported, and the second loop fails`() async {
        await #expect(processExitsWith: .success) {
            let reports = Box<[FuturesDiagnostic]>([])
            FuturesDiagnostics.handler = { report in reports.change { $0.append(report) } }
            let stream = FutureStream(value: 1)
            let subscription = stream.subscription()
            stream.finish()
            var seen: [Int] = []
            for try await value in subscription { seen.append(value) }
            precondition(seen == [1] && reports.value.isEmpty)
            do {
                for try await _ in subscription { preconditionFailure("it has nothing") }
                preconditionFailure("it must throw")
            } catch { precondition(error as? FuturesError == .noSuchElement) }
            precondition(reports.value == [.iteratedAgain])
            precondition(reports.value[0].description.contains("Make a subscription for each loop"))
        }
    }

    @Test func `an iterator that has ended says so again and again`() async throws {
        let stream = FutureStream<Int>(error: Failure())
        stream.finish()
        var values = stream.values.makeAsyncIterator()
        await #expect(throws: Failure.self) { try await values.next() }
        #expect(try await values.next() == nil)
        #expect(try await values.next() == nil)
        var results = stream.results.makeAsyncIterator()
        #expect(await results.next()?.error is Failure)
        #expect(await results.next() == nil)
        #expect(await results.next() == nil)
    }

    /// The policies that have a bound.
    enum Bounded: String, CaseIterable, Codable, CustomTestStringConvertible {
        case newest, oldest, failing, reportingLag

        var testDescription: String { rawValue }

        func policy(_ bound: Int) -> StreamBufferingPolicy {
            switch self {
            case .newest: .newest(bound)
            case .oldest: .oldest(bound)
            case .failing: .failing(bound)
            case .reportingLag: .reportingLag(bound)
            }
        }
    }

    @Test(arguments: Bounded.allCases, [0, -1, Int.min])
    func `a buffer without room is refused with a message that says what to do`(_ kind: Bounded, _ bound: Int) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [kind, bound] in
            _ = kind.policy(bound)
        }
        expect(result, toSay: "`StreamBufferingPolicy.\(kind)` was given \(bound)", "at least 1 element", ".unbounded")
    }

    @Test(arguments: Bounded.allCases, [Int.max, .max - 1])
    func `a buffer with room without end keeps everything`(_ kind: Bounded, _ bound: Int) async throws {
        let stream = FutureStream<Int>(capacity: 0)
        let subscription = stream.subscription(buffering: kind.policy(bound))
        for value in 0..<100 { stream.success(value) }
        stream.finish()
        var seen: [Int] = []
        for try await value in subscription { seen.append(value) }
        #expect(seen == Array(0..<100))
    }

    @Test func `a negative capacity of a stream from a sequence, or from a source, is refused as any`() async {
        let sequences = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = AsyncStream<Int> { $0.finish() }.futureStream(capacity: -1)
        }
        expect(sequences, toSay: "A FutureStream was given the capacity -1", "Pass 0")
        let sources = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = FutureStream<Int>(capacity: -2) { _ in CancelAction {} }
        }
        expect(sources, toSay: "A FutureStream was given the capacity -2", "Pass 0")
    }
}
