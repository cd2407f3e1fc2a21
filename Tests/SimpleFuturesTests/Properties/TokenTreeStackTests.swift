import SimpleFutures
import Testing
@testable import TestSupport

@Suite("Promise 7: constant stack for trees of tokens of any depth and width", .watchdog, .serialized)
struct TokenTreeStackTests {
    @Test(arguments: Tree.allCases)
    func `a tree of any size needs constant stack, and is released`(_ tree: Tree) async {
        await #expect(processExitsWith: .success) { [tree] in
            let size = Stress.size(8_000, full: 1_000_000)
            for end in Tree.End.allCases {
                let complaint = onSmallStack { tree.grow(size, end) }
                precondition(complaint == nil, "\(end.rawValue): \(complaint!)")
            }
        }
    }

    @Test(arguments: [true, false])
    func `consecutive attempts that end at once need constant stack`(throwing: Bool) async {
        await #expect(processExitsWith: .success) { [throwing] in
            let count = Stress.size(8_000, full: 100_000)
            let made = onSmallStack {
                let made = Box(0)
                let result = Future<Int>.retry(count, context: ImmediateContext()) {
                    made.increment()
                    if throwing { throw Failure() }
                    return Future(error: Failure())
                }
                return result.result?.error is Failure ? made.value : -1
            }
            precondition(made == count)
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
        let runs = Box(0)
        let ends = Box(0)
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
