import SourceFiles
import SwiftSyntax

/// Names that only publishers have.
let sureRows: [String: Row] = [
    "eraseToAnyPublisher": CombineRow.publisher,
    "sink": CombineRow.sink,
    "store": CombineRow.store,
    "assign": CombineRow.assign,
    "receive": CombineRow.receive,
    "subscribe": CombineRow.subscribe,
    "tryMap": CombineRow.operators,
    "tryCompactMap": CombineRow.operators,
    "tryFilter": CombineRow.operators,
    "switchToLatest": CombineRow.latest,
    "tryCatch": CombineRow.catch,
    "replaceError": CombineRow.replaceError,
    "replaceNil": CombineRow.replaceNil,
    "setFailureType": CombineRow.failureType,
    "assertNoFailure": CombineRow.failureType,
    "debounce": CombineRow.debounce,
    "throttle": CombineRow.debounce,
    "removeDuplicates": CombineRow.distinct,
    "share": CombineRow.share,
    "multicast": CombineRow.share,
    "autoconnect": CombineRow.share,
    "makeConnectable": CombineRow.share,
    "handleEvents": CombineRow.events,
    "ignoreOutput": CombineRow.ignore,
    "publisher": CombineRow.notifications,
    "dataTaskPublisher": CombineRow.session,
    "publish": CombineRow.timer,
]

/// Why a call of one of these names is left.
let reasons: [String: String] = [
    "sink": sinkReason,
    "store": storeReason,
    "assign": "it is a callback with `isolated:` that sets the property",
    "receive": "it is the `context:` of the calls that follow; the default is the main queue",
    "subscribe": "it is the `context:` of the call that makes the future",
    "switchToLatest": "it becomes `flatMapLatest` in the place of the `map` before it",
    "tryCatch": "a stream goes on after a failure here, and Combine's ends",
    "multicast": "the chain ends in the stream, which has any number of subscribers",
    "autoconnect": "a stream with a source starts with its first subscriber",
    "makeConnectable": "a stream with a source starts with its first subscriber",
    "handleEvents": "each closure has a call of its own",
    "ignoreOutput": "it is another call for a future and for a stream",
    "publisher": "it needs a closure that takes from the notification what is `Sendable`",
    "dataTaskPublisher": "it gives the data and the response to a future, and takes a token",
    "publish": "it becomes `FutureStream.every`, without a run loop",
    "debounce": "it has a scheduler, and the time has to become a `Duration`",
    "throttle": "it has a scheduler, and the time has to become a `Duration`",
]

/// The note for a set of cancellables.
let storeReason = "an `OwnedToken` takes the place of the set: pass `cancelToken: token.token` to each call"

extension CombineVisitor {
    /// The edits for a call that has one call here, and nil for the others.
    static func edits(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) -> [Edit]? {
        switch name.text {
        case "eraseToAnyPublisher", "setFailureType", "assertNoFailure", "share":
            return call.removalFromChain.map { [$0] }
        case "tryMap": return [Edit(replacing: name, with: "map")]
        case "tryCompactMap": return [Edit(replacing: name, with: "compactMap")]
        case "tryFilter": return [Edit(replacing: name, with: "filter")]
        case "removeDuplicates": return [Edit(replacing: name, with: "distinct")]
        case "replaceError": return replace(call, name) { "recover { _ in \($0) }" }
        case "replaceNil": return replace(call, name) { "map { $0 ?? \($0) }" }
        case "debounce", "throttle": return time(call, name)
        default: return nil
        }
    }

    private static func replace(_ call: FunctionCallExprSyntax, _ name: TokenSyntax, _ text: (String) -> String)
        -> [Edit]?
    {
        // `$0` would be the parameter of the new closure.
        guard let argument = call.argument("with"), call.arguments.count == 1,
            !argument.expression.tokens(viewMode: .sourceAccurate).contains(where: { $0.text.hasPrefix("$") })
        else { return nil }
        return [
            Edit(
                name.positionAfterSkippingLeadingTrivia.utf8Offset..<call.endPositionBeforeTrailingTrivia.utf8Offset,
                text(argument.expression.trimmedDescription))
        ]
    }

    /// `debounce(for: .seconds(1), scheduler: q)` is `debounce(.seconds(1), context: q)`.
    private static func time(_ call: FunctionCallExprSyntax, _ name: TokenSyntax) -> [Edit]? {
        guard let time = call.argument("for"), let label = time.label, let scheduler = call.argument("scheduler"),
            let schedulerLabel = scheduler.label
        else { return nil }
        let isDuration = [".seconds(", ".milliseconds("].contains { time.expression.trimmedDescription.hasPrefix($0) }
        let isMain = ["DispatchQueue.main", "RunLoop.main"].contains(scheduler.expression.trimmedDescription)
        guard isDuration, isMain, name.text == "debounce" else { return nil }
        return [
            Edit(
                removingFrom: label.positionAfterSkippingLeadingTrivia,
                to: time.expression.positionAfterSkippingLeadingTrivia),
            Edit(replacing: schedulerLabel, with: "context"),
            Edit(replacing: scheduler.expression, with: ".main"),
        ]
    }
}
