import SwiftSyntax

extension Flow {
    /// Notes a branch on paths that have no other gap yet.
    mutating func markUnmarked(_ gap: Gap) {
        next = Set(
            next.map { state in
                if case .pending(nil) = state { .pending(gap) } else { state }
            })
    }

    /// Ends the `break`s that leave a statement: those with its label, and those without one if it takes them.
    func leavingBreaks(label: String?, includesUnlabeled: Bool) -> Flow {
        var flow = Flow(next)
        for exit in exits {
            switch exit.kind {
            case .broke(let name?) where name == label: flow.next.insert(exit.leftState)
            case .broke(nil) where includesUnlabeled: flow.next.insert(exit.state)
            default: flow.exits.insert(exit)
            }
        }
        return flow
    }

    /// Sorts the ways out of a loop's body: back to its head, behind the loop, or further out.
    func enteringLoop(label: String?) -> (again: Set<FlowState>, flow: Flow) {
        var again = next
        var flow = Flow.unreachable
        for exit in exits {
            switch exit.kind {
            case .broke(nil): flow.next.insert(exit.leftState)
            case .broke(let name?) where name == label: flow.next.insert(exit.leftState)
            case .continued(nil): again.insert(exit.state)
            case .continued(let name?) where name == label: again.insert(exit.state)
            default: flow.exits.insert(exit)
            }
        }
        return (again, flow)
    }
}

extension FlowExit {
    /// The state, with the place of the exit if nothing was resumed.
    fileprivate var leftState: FlowState {
        guard case .pending(nil) = state else { return state }
        return .pending(Gap(position: position, kind: branch ?? .loop))
    }
}

extension ConditionElementListSyntax {
    /// Whether the conditions fail if `self` is gone: `let self`, `let strongSelf = self`, `self != nil`.
    var bindSelf: Bool {
        contains { element in
            switch element.condition {
            case .optionalBinding(let binding):
                guard let value = binding.initializer?.value else {
                    return binding.pattern.trimmedDescription == "self"
                }
                return ["self", "self?"].contains(value.trimmedDescription)
            case .expression(let expression):
                return expression.trimmedDescription == "self != nil"
            default: return false
            }
        }
    }
}

extension CatchClauseSyntax {
    /// Whether the clause catches each error.
    var catchesAll: Bool {
        catchItems.isEmpty
            || catchItems.contains { item in
                guard item.whereClause == nil else { return false }
                guard let pattern = item.pattern else { return true }
                return pattern.as(ValueBindingPatternSyntax.self)?.pattern.is(IdentifierPatternSyntax.self) ?? false
            }
    }
}
