import SimpleFutures
import SimpleFuturesInterop
import Testing
@testable import TestSupport

/// An event in the life of an iterator.
enum StreamHappening: String, CaseIterable, Sendable {
    case element, failure, finish, promiseDropped, iteratorDropped, loopLeft, taskCancelled, tokenCancelled, overlap
}

/// The state of the iterator before the event.
enum IteratorState: String, CaseIterable, Sendable {
    /// Nothing was emitted, and there is no waiter.
    case idle
    /// 1 and 2 were emitted and not read.
    case buffered
    /// A task waits for an element.
    case waiting
    /// 1 was emitted, then the stream has finished.
    case finished
    /// 1 was emitted, then a failure.
    case failed
    /// 1 was emitted, then the stream was cancelled.
    case cancelled
}

@Suite("Iterating a stream: each event in each state", .watchdog)
struct IterationTableTests {
    // The results of the calls of `next()` from the event on, if the stream finishes afterwards; "-" if there is no
    // call. A row holds for each of its states with each of its events.
    static let table = """
        state                              | events                  | values               | results
        idle waiting                       | element                 | 9 end                | 9 end
        idle waiting                       | failure                 | failure end          | failure 9 end
        idle waiting                       | finish promiseDropped   | end                  | end
        idle waiting                       | tokenCancelled          | cancelled end        | cancelled end
        idle waiting                       | overlap                 | 9 8 end              | 9 8 end
        buffered                           | element                 | 1 2 9 end            | 1 2 9 end
        buffered                           | failure                 | 1 2 failure end      | 1 2 failure 9 end
        buffered                           | finish promiseDropped   | 1 2 end              | 1 2 end
        buffered                           | tokenCancelled          | 1 2 cancelled end    | 1 2 cancelled end
        buffered                           | overlap                 | 1 2 9 8 end          | 1 2 9 8 end
        finished                           | element failure overlap | 1 end                | 1 end
        finished                           | finish promiseDropped   | 1 end                | 1 end
        finished                           | tokenCancelled          | 1 end                | 1 end
        failed                             | element                 | 1 failure end        | 1 failure 9 end
        failed                             | failure                 | 1 failure end        | 1 failure failure 9 end
        failed                             | finish promiseDropped   | 1 failure end        | 1 failure end
        failed                             | tokenCancelled          | 1 failure end        | 1 failure cancelled end
        failed                             | overlap                 | 1 failure end        | 1 failure 9 8 end
        cancelled                          | element failure overlap | 1 cancelled end      | 1 cancelled end
        cancelled                          | finish promiseDropped   | 1 cancelled end      | 1 cancelled end
        cancelled                          | tokenCancelled          | 1 cancelled end      | 1 cancelled end
        idle waiting                       | loopLeft                | 9                    | 9
        buffered finished failed cancelled | loopLeft                | 1                    | 1
        idle buffered finished failed      | iteratorDropped         | -                    | -
        cancelled                          | iteratorDropped         | -                    | -
        waiting                            | iteratorDropped         | 9                    | 9
        idle waiting buffered              | taskCancelled           | cancelled end        | cancelled end
        finished failed cancelled          | taskCancelled           | cancelled end        | cancelled end
        """

    struct Cell: Sendable, CustomTestStringConvertible {
        let state: IteratorState
        let event: StreamHappening
        let values: [String]
        let results: [String]

        var testDescription: String { "\(state), \(event)" }
    }

    static let cells: [Cell] = table.split(separator: "\n").dropFirst().flatMap { line in
        let columns = line.split(separator: "|").map { $0.split(separator: " ").map(String.init).filter { $0 != "-" } }
        return columns[0].flatMap { state in
            columns[1].map { event in
                Cell(
                    state: IteratorState(rawValue: state)!, event: StreamHappening(rawValue: event)!,
                    values: columns[2], results: columns[3])
            }
        }
    }

    @Test(arguments: cells) func `calls of next() return the results in the table`(_ cell: Cell) async {
        #expect(await Run<FutureStreamValues<Int>.Iterator>().words(cell.state, cell.event) == cell.values)
        #expect(await Run<FutureStreamResults<Int>.Iterator>().words(cell.state, cell.event) == cell.results)
    }

    @Test func `the table has each cell once`() {
        #expect(Set(Self.cells.map(\.testDescription)).count == Self.cells.count)
        #expect(Self.cells.count == IteratorState.allCases.count * StreamHappening.allCases.count)
    }
}

/// A run of one cell of the table.
private struct Run<Iterator: StreamIterator> {
    let stage = Stage<Iterator>()

    func words(_ state: IteratorState, _ event: StreamHappening) async -> [String] {
        enter(state)
        #expect(stage.subscriberCount == (state == .finished || state == .cancelled ? 0 : 1))
        let words = await words(after: event, waiting: state == .waiting)
        #expect(stage.subscriberCount == 0, "an iterator that has ended has unsubscribed")
        if stage.iterator != nil { #expect(await stage.next() == "end", "and stays at its end") }
        return words
    }

    private func enter(_ state: IteratorState) {
        switch state {
        case .idle, .waiting: break
        case .buffered: stage.emit(1, 2)
        case .finished:
            stage.emit(1)
            stage.finish()
        case .failed:
            stage.emit(1)
            stage.fail()
        case .cancelled:
            stage.emit(1)
            stage.token.cancel()
        }
    }

    private func words(after event: StreamHappening, waiting: Bool) async -> [String] {
        let waiter = waiting ? Task { await stage.next() } : nil
        if waiting { await until { stage.isAwaited } }
        switch event {
        case .element: stage.emit(9)
        case .failure:
            stage.fail()
            stage.emit(9)
        case .finish: stage.finish()
        case .promiseDropped: stage.dropPromise()
        case .iteratorDropped:
            stage.dropIterator()
            // A running call keeps the subscription until it returns.
            guard let waiter else { return [] }
            stage.emit(9)
            return [await waiter.value]
        case .loopLeft:
            if stage.isEmpty { stage.emit(9) }
            let word = if let waiter { await waiter.value } else { await stage.next() }
            stage.dropIterator()
            return [word]
        case .taskCancelled:
            guard let waiter else { return await inCancelledTask { await stage.rest() } }
            waiter.cancel()
            return [await waiter.value] + (await stage.rest())
        case .tokenCancelled: stage.token.cancel()
        case .overlap: return await overlapping(waiter)
        }
        let first = await waiter?.value
        stage.finish()
        return (first.map { [$0] } ?? []) + (first == "end" ? [] : await stage.rest())
    }

    /// Two calls at a time, until the end.
    private func overlapping(_ waiter: Task<String, Never>?) async -> [String] {
        let hasReturned = Box(false)
        let first =
            waiter
            ?? Task {
                defer { hasReturned.value = true }
                return await stage.next()
            }
        await until { stage.isAwaited || !stage.isEmpty || hasReturned.value }
        let second = Task { await stage.next() }
        stage.emit(9, 8)
        stage.finish()
        let words = [await first.value, await second.value]
        let rest = await stage.rest()
        // Of two tasks that began at the same time, either may be the first.
        let ranks = ["1", "2", "failure", "9", "8", "cancelled"]
        func rank(_ word: String) -> Int { ranks.firstIndex(of: word) ?? 9 }
        let all = waiter == nil ? words.sorted { rank($0) < rank($1) } : words
        return (all + rest).reduce(into: []) { if $0.last != "end" { $0.append($1) } }
    }
}
