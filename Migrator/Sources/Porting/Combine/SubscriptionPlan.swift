import SourceFiles
import SwiftSyntax

/// The replacements for the `sink`s of a file and for the properties that keep their cancellables.
struct SubscriptionPlan {
    /// The edits of a call or a type, by the position of its name.
    private(set) var edits: [AbsolutePosition: [Edit]] = [:]
    /// Edits that belong to no call.
    private(set) var otherEdits: [Edit] = []
    /// Why a call is left, by the position of its name.
    private(set) var reasons: [AbsolutePosition: String] = [:]
    /// Whether a closure is passed as `isolated:`.
    private(set) var usesIsolation = false

    /// All names of the file.
    private var names: Set<String> = []
    /// The new tokens of a class.
    private var tokens: [SyntaxIdentifier: Set<String>] = [:]

    init() {}

    /// A plan for a file.
    ///
    /// Chains with a subject that is left are left too.
    init(for file: SourceFileSyntax, _ subjects: Subjects) {
        let finder = KeeperFinder(viewMode: .sourceAccurate)
        finder.walk(file)
        guard !finder.sinks.isEmpty else { return }
        names = Set(file.tokens(viewMode: .sourceAccurate).map(\.text))
        for call in finder.sinks {
            guard let name = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName else { continue }
            let known = Subscription(sink: call)?.reasonToLeave(on: Isolation(of: call), subjects: subjects)
            reasons[name.position] = known ?? (call.handlesCompletion ? completionReason : unkeptReason)
        }
        for keeper in finder.keepers { plan(keeper, in: file, subjects) }
    }

    private mutating func plan(_ keeper: Keeper, in file: SourceFileSyntax, _ subjects: Subjects) {
        guard let uses = keeper.uses(in: file) else { return }
        var ready: [(Subscription, Isolation)] = []
        for case .sink(let subscription) in uses {
            let isolation = Isolation(of: subscription.sink.call).joined(with: Isolation(of: keeper.owner))
            let reason = subscription.reasonToLeave(on: isolation, subjects: subjects)
            reasons[subscription.sink.name.position] = reason ?? unkeptReason
            if reason == nil { ready.append((subscription, isolation)) }
        }
        guard !ready.isEmpty else { return }
        if keeper.isSet {
            convert(ready, storedIn: keeper, uses: uses)
        } else {
            convert(ready, assignedTo: keeper, uses: uses)
        }
    }

    /// An `OwnedToken` takes the place of the set, or stands beside it while other chains are stored there.
    private mutating func convert(_ ready: [(Subscription, Isolation)], storedIn keeper: Keeper, uses: [Keeper.Use]) {
        let present = keeper.owner.ownedToken
        let free = ["token", "\(keeper.name.text)Token"].first {
            !names.contains($0) && !tokens[keeper.owner.id, default: []].contains($0)
        }
        guard let token = present ?? free else { return }
        let clears = uses.compactMap { if case .clear(let item) = $0 { item } else { nil } }
        guard present == nil || clears.isEmpty else { return }
        tokens[keeper.owner.id, default: []].insert(token)
        let staying = uses.count - clears.count - ready.count
        let specifier = clears.allSatisfy(\.isInDeinit) ? "let" : "var"
        let declaration = keeper.declaration
        if staying > 0 {
            if present == nil {
                otherEdits.append(
                    declaration.lineAfter("private \(specifier) \(token) = OwnedToken()"))
            }
            otherEdits += clears.map { $0.lineAfter($0.clearing(token)) }
        } else if present == nil {
            let start = declaration.bindingSpecifier.positionAfterSkippingLeadingTrivia.utf8Offset
            let end = declaration.endPositionBeforeTrailingTrivia.utf8Offset
            edits[keeper.type.position] = [Edit(start..<end, "\(specifier) \(token) = OwnedToken()")]
            otherEdits += clears.map { Edit(replacing: $0, with: $0.clearing(token)) }
        }
        for (subscription, isolation) in ready {
            convert(subscription, isolation, cancelToken: "\(subscription.keeperPrefix)\(token).token")
        }
    }

    /// The variable holds an `OwnedToken`, and is assigned after the call, as in Combine.
    private mutating func convert(
        _ ready: [(Subscription, Isolation)], assignedTo keeper: Keeper, uses: [Keeper.Use]
    ) {
        let token = keeper.name.text + "Token"
        let blocks = ready.compactMap { $0.0.statement?.parent?.id }
        let sinks = uses.filter { if case .sink = $0 { true } else { false } }
        guard sinks.count == ready.count, !names.contains(token), Set(blocks).count == blocks.count else { return }
        edits[keeper.type.position] = [Edit(replacing: keeper.type, with: "OwnedToken")]
        for (subscription, isolation) in ready {
            guard let item = subscription.statement else { continue }
            let start = item.positionAfterSkippingLeadingTrivia
            convert(subscription, isolation, cancelToken: "\(token).token")
            otherEdits += [
                Edit(
                    start.utf8Offset..<subscription.chain.root.positionAfterSkippingLeadingTrivia.utf8Offset,
                    "let \(token) = OwnedToken()\n\(item.indentation)"),
                item.lineAfter("\(subscription.keeper.trimmedDescription) = \(token)"),
            ]
        }
    }

    private mutating func convert(_ subscription: Subscription, _ isolation: Isolation, cancelToken: String) {
        let isIsolated = isolation == .main || isolation == .unknown && subscription.receive != nil
        if isIsolated { usesIsolation = true }
        reasons[subscription.sink.name.position] = nil
        edits[subscription.sink.name.position] = subscription.sinkEdits(
            cancelToken: cancelToken, isolated: isIsolated)
        for link in [subscription.receive, subscription.store].compactMap({ $0 }) {
            edits[link.name.position] = link.removal
        }
    }
}

private let unkeptReason =
    "an `OwnedToken` takes the place of what keeps the cancellable: `onSuccess(cancelToken: token.token) { … }`"

extension ClassDeclSyntax {
    /// The name of the token that an earlier run has added, if nothing cancels it before its owner is released.
    fileprivate var ownedToken: String? {
        for variable in memberBlock.members.compactMap({ $0.decl.as(VariableDeclSyntax.self) }) {
            guard variable.bindingSpecifier.text == "let", let binding = variable.bindings.first,
                binding.initializer?.value.trimmedDescription == "OwnedToken()"
            else { continue }
            let name = binding.pattern.trimmedDescription
            return trimmedDescription.contains("\(name).cancel") ? nil : name
        }
        return nil
    }
}

extension CodeBlockItemSyntax {
    fileprivate var isInDeinit: Bool {
        sequence(first: Syntax(self), next: \.parent).contains { $0.is(DeinitializerDeclSyntax.self) }
    }

    /// Cancels all that has the token, in the place of this statement.
    fileprivate func clearing(_ token: String) -> String {
        isInDeinit ? "\(token).cancel()" : "\(token) = OwnedToken()"
    }
}

extension SyntaxProtocol {
    /// The white space before the first token in its line.
    fileprivate var indentation: String {
        String(leadingTrivia.description.reversed().prefix { $0 == " " || $0 == "\t" }.reversed())
    }

    /// A line after this node and its comment.
    fileprivate func lineAfter(_ text: String) -> Edit {
        let end = trailingTrivia.hasComment ? endPosition : endPositionBeforeTrailingTrivia
        return Edit(inserting: "\n\(indentation)\(text)", at: end)
    }
}
