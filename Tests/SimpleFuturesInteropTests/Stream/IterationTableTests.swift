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
    // call.
    static let table = """
        state     event            | values                      | results
        idle      element          | 9 end                       | 9 end
        idle      failure          | failure end                 | failure 9 end
        idle      finish           | end                         | end
        idle      promiseDropped   | end                         | end
        idle      iteratorDropped  | -                           | -
        idle      loopLeft         | 9                           | 9
        idle      taskCancelled    | cancelled end               | cancelled end
        idle      tokenCancelled   | cancelled end               | cancelled end
        idle      overlap          | 9 8 end                     | 9 8 end
        buffered  element          | 1 2 9 end                   | 1 2 9 end
        buffered  failure          | 1 2 failure end             | 1 2 failure 9 end
        buffered  finish           | 1 2 end                     | 1 2 end
        buffered  promiseDropped   | 1 2 end                     | 1 2 end
        buffered  iteratorDropped  | -                           | -
        buffered  loopLeft         | 1                           | 1
        buffered  taskCancelled    | cancelled end               | cancelled end
        buffered  tokenCancelled   | 1 2 cancelled end           | 1 2 cancelled end
        buffered  overlap          | 1 2 9 8 end                 | 1 2 9 8 end
        waiting   element          | 9 end                       | 9 end
        waiting   failure          | failure end                 | failure 9 end
        waiting   finish           | end                         | end
        waiting   promiseDropped   | end                         | end
        waiting   iteratorDropped  | 9                           | 9
        waiting   loopLeft         | 9                           | 9
        waiting   taskCancelled    | cancelled end               | cancelled end
        waiting   tokenCancelled   | cancelled end               | cancelled end
        waiting   overlap          | 9 8 end                     | 9 8 end
        finished  element          | 1 end                       | 1 end
        finished  failure          | 1 end                       | 1 end
        finished  finish           | 1 end                       | 1 end
        finished  promiseDropped   | 1 end                       | 1 end
        finished  iteratorDropped  | -                           | -
        finished  loopLeft         | 1                           | 1
        finished  taskCancelled    | cancelled end               | cancelled end
        finished  tokenCancelled   | 1 end                       | 1 end
        finished  overlap          | 1 end                       | 1 end
        failed    element          | 1 failure end               | 1 failure 9 end
        failed    failure          | 1 failure end               | 1 failure failure 9 end
        failed    finish           | 1 failure end               | 1 failure end
        failed    promiseDropped   | 1 failure end               | 1 failure end
        failed    iteratorDropped  | -                           | -
        failed    loopLeft         | 1                           | 1
        failed    taskCancelled    | cancelled end               | cancelled end
        failed    tokenCancelled   | 1 failure end               | 1 failure cancelled end
        failed    overlap          | 1 failure end               | 1 failure 9 8 end
        cancelled element          | 1 cancelled end             | 1 cancelled end
        cancelled failure          | 1 cancelled end             | 1 cancelled end
        cancelled finish           | 1 cancelled end             | 1 cancelled end
        cancelled promiseDropped   | 1 cancelled end             | 1 cancelled end
        cancelled iteratorDropped  | -                           | -
        cancelled loopLeft         | 1                           | 1
        cancelled taskCancelled    | cancelled end               | cancelled end
        cancelled tokenCancelled   | 1 cancelled end             | 1 cancelled end
        cancelled overlap          | 1 cancelled end             | 1 cancelled end
        """

    struct Cell: Sendable, CustomTestStringConvertible {
        let state: IteratorState
        let event: StreamHappening
        let values: [String]
        let results: [String]

        var testDescription: String { "\(state), \(event)" }
    }

    static let cells: [Cell] = table.split(separator: "\n").dropFirst().map { line in
        let columns = line.split(separator: "|").map { $0.split(separator: " ").map(String.init) }
        return Cell(
            state: IteratorState(rawValue: columns[0][0])!, event: StreamHappening(rawValue: columns[0][1])!,
            values: columns[1].filter { $0 != "-" }, results: columns[2].filter { $0 != "-" })
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
            let word: String
            if let waiter {
                stage.emit(9)
                word = await waiter.value
            } else {
                if stage.isEmpty { stage.emit(9) }
                word = await stage.next()
            }
            stage.dropIterator()
            return [word]
        case .taskCancelled:
            guard let waiter else {
                return await Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await stage.rest()
                }.value
            }
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
        let all = waiter == nil ? words.sorted(by: order) : words
        return (all + rest).reduce(into: []) { if $0.last != "end" { $0.append($1) } }
    }

    private func order(_ left: String, _ right: String) -> Bool { rank(left) < rank(right) }

    private func rank(_ word: String) -> Int { ["1", "2", "failure", "9", "8", "cancelled"].firstIndex(of: word) ?? 9 }
}
