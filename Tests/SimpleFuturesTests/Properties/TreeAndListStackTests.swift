import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 7: constant stack for trees of tokens of any depth and width", .watchdog)
struct TokenTreeStackTests {
    @Test(arguments: Tree.allCases)
    func `a tree of any size needs constant stack, and is released`(_ tree: Tree) async {
        await #expect(processExitsWith: .success) { [tree] in
            let size = Stress.size(2_000, full: 1_000_000)
            for end in Tree.End.allCases {
                let complaint = onSmallStack { tree.grow(size, end) }
                precondition(complaint == nil, "\(end.rawValue): \(complaint!)")
            }
        }
    }
}

@Suite("Promise 7: values that contain futures of the same type", .watchdog)
struct ValueListTests {
    @Test(arguments: List.allCases)
    func `a list of any length is released with little stack`(_ list: List) async {
        await #expect(processExitsWith: .success) { [list] in
            let (count, released) = (Stress.size(4_000, full: 1_000_000), Box(0))
            onSmallStack { list.makeAndRelease(count, released) }
            precondition(released.value == count, "\(released.value) of \(count) were released")
        }
    }

    @Test(arguments: List.allCases)
    func `a short list is released together with its last reference`(_ list: List) {
        let released = Box(0)
        list.makeAndRelease(3, released)
        #expect(released.value == 3)
    }
}

@Suite("Promise 7: streams that end each other when they are released", .watchdog)
struct EndingStreamsTests {
    private final class Link: Sendable {
        let next: FutureStream<Int>?

        init(_ next: FutureStream<Int>?) { self.next = next }
        deinit { next?.finish() }
    }

    @Test(arguments: [true, false])
    func `a chain of any length, whose closures hold the next, ends with little stack`(isDerived: Bool) async {
        await #expect(processExitsWith: .success) { [isDerived] in
            let (source, token) = (FutureStream<Int>(capacity: 0), CancelToken())
            var last: FutureStream<Int>?
            for _ in 0..<Stress.size(4_000, full: 1_000_000) {
                let link = Link(last)
                if isDerived {
                    last = source.map(context: immediate) { value in withExtendedLifetime(link) { value } }
                } else {
                    let next = FutureStream<Int>(capacity: 0)
                    next.onSuccess(context: immediate, cancelToken: token) { _ in withExtendedLifetime(link) {} }
                    last = next
                }
            }
            let first = last!
            last = nil
            onSmallStack { first.finish() }
        }
    }
}

/// A large tree of tokens, each with a handler.
enum Tree: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case chain = "each the child of the one before"
    case fan = "all of them children of one"
    case ladder = "each any of the two before"
    case funnel = "all of them parents of one"

    var testDescription: String { rawValue }

    enum End: String, CaseIterable, Sendable {
        case cancelledAtTop = "cancelled at the top"
        case cancelledAtTopAlone = "cancelled at the root, without references to the others"
        case droppedFromTop = "dropped from the top"
        case droppedFromLeaf = "dropped from the leaf"
        case handlersTakenAway = "without handlers and references"
    }

    /// Builds the tree, ends it, and returns a complaint about the result, or nil.
    func grow(_ size: Int, _ end: End) -> String? {
        let (runs, ends) = (Box(0), Box(0))
        var tokens = make(size)
        var top: CancelToken? = tokens[0]
        let registrations = tokens[1...].map { token in
            let end = AtDeinit { ends.increment() }
            return token.onCancel {
                end.use()
                runs.increment()
            }
        }
        switch end {
        case .cancelledAtTop: top?.cancel()
        case .cancelledAtTopAlone:
            tokens = []
            top?.cancel()
        case .droppedFromTop:
            top = nil
            for index in tokens.indices { tokens[index] = .none }
        case .droppedFromLeaf:
            top = nil
            while tokens.popLast() != nil {}
        case .handlersTakenAway:
            tokens = []
            for registration in registrations { registration.cancel() }
        }
        let isCancelled = end == .cancelledAtTop || end == .cancelledAtTopAlone
        let expected = isCancelled ? (self == .funnel ? 1 : size - 1) : 0
        if runs.value != expected { return "\(runs.value) of \(expected) handlers have run" }
        if let top, top.registrationCount > 0 { return "the top holds \(top.registrationCount)" }
        tokens = []
        if ends.value != size - 1 { return "\(ends.value) of \(size - 1) handlers were released" }
        return nil
    }

    private func make(_ size: Int) -> [CancelToken] {
        var tokens = [CancelToken()]
        if self == .ladder { tokens.append(tokens[0].child()) }
        while tokens.count < size {
            switch self {
            case .chain: tokens.append(tokens[tokens.count - 1].child())
            case .fan: tokens.append(tokens[0].child())
            case .ladder: tokens.append(CancelToken(anyOf: tokens.suffix(2)))
            case .funnel: tokens.append(tokens.count < size - 1 ? CancelToken() : CancelToken(anyOf: tokens))
            }
        }
        return tokens
    }
}

/// A linked list of futures or streams.
enum List: CaseIterable, Codable, Sendable {
    case pages, largePages, nodes, errors, streams, futuresAndStreams, waitingValues

    func makeAndRelease(_ count: Int, _ released: Box<Int>) {
        func captive() -> AtDeinit { AtDeinit { released.increment() } }
        switch self {
        case .pages:
            var next: Future<Page>?
            for _ in 0..<count { next = Future(value: Page(next: next, captive: captive())) }
        case .largePages:
            var next: Future<LargePage>?
            for number in 0..<count {
                next = Future(value: LargePage(next: next, captive: captive(), numbers: (number, 0, 0, 0)))
            }
        case .nodes:
            var next: Future<Node>?
            for _ in 0..<count { next = Future(value: Node(next, captive())) }
        case .errors:
            var next: Future<Int>?
            for _ in 0..<count { next = Future(error: Outage(cause: next, captive: captive())) }
        case .streams:
            var next: FutureStream<StreamPage>?
            for _ in 0..<count {
                next = FutureStream(value: StreamPage(next: next, captive: captive()), capacity: 1)
            }
        case .waitingValues:
            let clock = ManualContext()
            var next: [FutureStream<any Sendable>] = []
            for _ in 0..<count {
                let source = FutureStream<any Sendable>(capacity: 0)
                let derived = source.debounce(.seconds(1), context: clock)
                source.success((next, captive()))
                next = [source, derived]
            }
        case .futuresAndStreams:
            var next: Future<any Sendable>?
            for _ in 0..<count {
                let stream = FutureStream<any Sendable>(value: next as any Sendable, capacity: 1)
                next = Future<any Sendable>(value: (stream, captive()) as any Sendable)
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
