import SwiftSyntax

/// The state of a continuation on one path through a closure.
enum FlowState: Hashable {
    /// Not resumed. The gap is the last branch that went past a call of `resume` elsewhere.
    case pending(Gap?)
    /// Resumed once, at this place.
    case resumed(AbsolutePosition)
    /// Resumed twice, at these places.
    case twice(AbsolutePosition, AbsolutePosition)
    /// Something else is responsible: a function that got it, a property that stores it, a closure that captures it.
    case handedOver

    var isPending: Bool { if case .pending = self { true } else { false } }
}

/// A branch in which the continuation is not resumed.
struct Gap: Hashable {
    enum Kind: Hashable {
        /// `self` is gone: `guard let self else { … }`, `if let self { … }`, `self?.load { … }`.
        case selfIsGone
        /// A call that is skipped if this is nil.
        case nilChain(String)
        /// An `if` without `else`.
        case noElse
        /// The body of an `if`, or its `else`.
        case branch
        /// The `else` of a `guard`.
        case guardElse
        case switchCase
        case catchClause
        case loop
        /// An error is thrown.
        case thrown
    }
    var position: AbsolutePosition
    var kind: Kind
}

/// The places where paths leave a statement.
struct FlowExit: Hashable {
    enum Kind: Hashable {
        case returned
        case thrown
        case broke(String?)
        case continued(String?)
        case fellThrough
    }
    var kind: Kind
    var state: FlowState
    var position: AbsolutePosition
    /// The innermost branch that the exit is in.
    var branch: Gap.Kind?
}

/// The possible states after a statement or an expression.
struct Flow {
    /// The states in which the next statement runs.
    ///
    /// Empty if it is never reached.
    var next: Set<FlowState>
    /// The paths that leave.
    var exits: Set<FlowExit> = []

    init(_ next: Set<FlowState>) { self.next = next }

    static let unreachable = Flow([])

    var isReachable: Bool { !next.isEmpty }

    /// Runs what follows with the states so far.
    mutating func then(_ following: (Set<FlowState>) -> Flow) {
        guard isReachable else { return }
        let flow = following(next)
        next = flow.next
        exits.formUnion(flow.exits)
    }

    mutating func merge(_ other: Flow) {
        next.formUnion(other.next)
        exits.formUnion(other.exits)
    }

    /// Whether a path resumes the continuation or hands it over.
    var progresses: Bool {
        next.contains { !$0.isPending } || exits.contains { !$0.state.isPending }
    }

    /// Notes the branch on the paths that run on and have not resumed.
    mutating func mark(_ gap: Gap) {
        next = Set(next.map { $0.isPending ? .pending(gap) : $0 })
    }

    /// Makes something else responsible on all paths that have not resumed.
    mutating func excuse() {
        next = next.excused
        exits = Set(
            exits.map { exit in
                var exit = exit
                if exit.state.isPending { exit.state = .handedOver }
                return exit
            })
    }
}

extension Set<FlowState> {
    /// After a call of `resume`.
    func resumed(at position: AbsolutePosition) -> Set {
        Set(
            map { state in
                switch state {
                case .pending: .resumed(position)
                case .resumed(let first): .twice(first, position)
                case .twice, .handedOver: state
                }
            })
    }

    /// After something else has become responsible.
    var excused: Set { Set(map { $0.isPending ? .handedOver : $0 }) }
}
