import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 7: values that contain futures of the same type", .watchdog)
struct ValueListTests {
    @Test(arguments: List.allCases) func `a list of any length is released with little stack`(_ list: List) async {
        await #expect(processExitsWith: .success) { [list] in
            let (count, released) = (Stress.size(60_000, full: 1_000_000), Box(0))
            onSmallStack { list.makeAndRelease(count, released) }
            precondition(released.value == count, "\(released.value) of \(count) were released")
        }
    }

    @Test func `a short list is released together with its last reference`() {
        let released = Log<Int>()
        struct Inner: Sendable {
            let number: Int
            let next: Future<Inner>?
            let captive: AtDeinit
        }
        func list(_ number: Int) -> Future<Inner> {
            Future(
                value: Inner(
                    number: number, next: number == 3 ? nil : list(number + 1),
                    captive: AtDeinit { released.add(number) }))
        }
        _ = list(1)
        #expect(released.all.sorted() == [1, 2, 3])
    }

    enum List: String, CaseIterable, Codable, Sendable {
        case pages, largePages, nodes, errors, streams, futuresAndStreams

        func makeAndRelease(_ count: Int, _ released: Box<Int>) {
            switch self {
            case .pages:
                var next: Future<Page>?
                for _ in 0..<count {
                    next = Future(value: Page(next: next, captive: AtDeinit { released.increment() }))
                }
            case .largePages:
                var next: Future<LargePage>?
                for number in 0..<count {
                    next = Future(value: LargePage(next, AtDeinit { released.increment() }, (number, 0, 0, 0)))
                }
            case .nodes:
                var next: Future<Node>?
                for _ in 0..<count { next = Future(value: Node(next, AtDeinit { released.increment() })) }
            case .errors:
                var next: Future<Int>?
                for _ in 0..<count {
                    next = Future(error: Outage(cause: next, captive: AtDeinit { released.increment() }))
                }
            case .streams:
                var next: FutureStream<StreamPage>?
                for _ in 0..<count {
                    let page = StreamPage(next: next, captive: AtDeinit { released.increment() })
                    next = FutureStream(value: page, capacity: 1)
                }
            case .futuresAndStreams:
                var next: Future<any Sendable>?
                for _ in 0..<count {
                    let stream = FutureStream<any Sendable>(value: next as any Sendable, capacity: 1)
                    next = Future<any Sendable>(value: (stream, AtDeinit { released.increment() }) as any Sendable)
                }
            }
        }
    }
}

private struct Page: Sendable {
    let next: Future<Page>?
    let captive: AtDeinit
}

/// Too large to be stored inside a future.
private struct LargePage: Sendable {
    let next: Future<LargePage>?
    let captive: AtDeinit
    let numbers: (Int, Int, Int, Int)

    init(_ next: Future<LargePage>?, _ captive: AtDeinit, _ numbers: (Int, Int, Int, Int)) {
        (self.next, self.captive, self.numbers) = (next, captive, numbers)
    }
}

private final class Node: Sendable {
    let next: Future<Node>?
    let captive: AtDeinit

    init(_ next: Future<Node>?, _ captive: AtDeinit) { (self.next, self.captive) = (next, captive) }
}

private struct Outage: Error {
    let cause: Future<Int>?
    let captive: AtDeinit
}

private struct StreamPage: Sendable {
    let next: FutureStream<StreamPage>?
    let captive: AtDeinit
}
