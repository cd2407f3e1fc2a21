/// The purpose of a closure parameter.
public enum HandlerRole: String, Sendable, Hashable, Codable {
    /// Called once, with the result.
    case completion
    /// Called again and again: progress, events, changes.
    case repeated
    /// Anything else: a transform, a predicate, a piece of work, the action of a button.
    case other
}

/// Decides what a closure parameter is for, by its type and by the names around it.
///
/// Swift has no word for a completion handler, so these are rules of thumb. In this order:
///
/// 1. **It returns nothing and can outlive the call.** A closure that returns a value is a transform or a predicate. One
///    that is async or throws, has an `inout` parameter, is an autoclosure, or is neither `@escaping` nor optional, can't
///    be a completion handler. Neither can a modifier of a view, `onPurchase(_:) -> some View`.
/// 2. **A name that says once decides**: completion, completed, finished, done, success, failure, reply, decision.
/// 3. **A name that says again decides**: progress, update, change, event, observer, action, tap, and so on.
/// 4. **In an initializer, only rule 2 makes a completion handler.** Other closures there are stored: `onTap`, `handler`.
/// 5. **A function that observes calls again**: observe, subscribe, listen, watch, on, add, register.
/// 6. **An error in the type says once**: `Error?` or `Result`.
/// 7. **A function that configures gives its closure what to change.**
/// 8. **Callback, response, result, answer, continuation say once.**
/// 9. **Handler, block, closure, or no label: the function's verb decides** and only if the closure gets something. A
///    function that fetches, loads, requests, saves or connects has a completion handler; one that performs, animates,
///    delays or dispatches runs a piece of work.
///
/// - Parameters:
///   - label: The label and the name of the parameter, and the name of its typealias, as far as there are any.
///   - closure: Its type.
///   - function: The name of the function.
///   - isInitializer: Whether it is one of an initializer.
public func role(
    of label: [String], closure: ClosureType, function: String, isInitializer: Bool = false
) -> HandlerRole {
    guard closure.result == "Void", !closure.isAsync, !closure.isThrowing, !closure.hasInout, closure.canOutliveCall
    else { return .other }
    let words = Set(label.flatMap(\.words))
    let verbs = function.words
    // "onCompletion" is one, "completionProgress" isn't likely.
    if !words.isDisjoint(with: onceWords) || words.isSuperset(of: ["content", "handler"]) { return .completion }
    if !words.isDisjoint(with: againWords) { return .repeated }
    if isInitializer { return words.isDisjoint(with: ["on", "callback"]) ? .other : .repeated }
    if let verb = verbs.first, observingVerbs.contains(verb) {
        return isAction(closure) ? .other : .repeated
    }
    let shape = Shape(closure)
    if shape.hasError { return .completion }
    if let verb = verbs.first, configuringVerbs.contains(verb) { return .other }
    if !words.isDisjoint(with: resultWords) { return .completion }
    guard shape != .nothing, !isAction(closure), words.isDisjoint(with: workWords) else { return .other }
    let decides = words.isEmpty || !words.isDisjoint(with: handlerWords)
    return decides && verbs.first.map(fetchingVerbs.contains) == true ? .completion : .other
}

/// `UIAlertAction`, `UIButton`, gestures: the closure is the action of a control.
private func isAction(_ closure: ClosureType) -> Bool {
    guard closure.parameters.count == 1, let type = closure.parameters.first else { return false }
    let suffixes = ["Action", "Button", "Control", "GestureRecognizer", "Sender", "Alert"]
    return suffixes.contains { type.hasSuffix($0) || type.hasSuffix($0 + "?") }
}

private let onceWords: Set = [
    "completion", "completions", "completed", "complete", "completes", "completer", "finish", "finished", "done",
    "success",
    "succeeded", "failure", "failed", "fail", "reply", "fulfill", "reject", "resolve", "then", "onfinish", "oncomplete",
    "decision",
]
private let againWords: Set = [
    "progress", "update", "updates", "updated", "change", "changes", "changed", "event", "events", "each", "every",
    "observer", "observe", "listener", "subscriber", "tick", "state", "status", "chunk", "partial", "element", "frame",
    "sample", "notification", "tap", "tapped", "press", "pressed", "select", "selected", "selection", "action",
    "actions",
    "click", "clicked", "scroll", "swipe", "appear", "dismiss", "dismissed", "edit", "delete", "message", "receive",
    "received", "emit", "next", "step", "log",
]
private let observingVerbs: Set = [
    "observe", "observing", "subscribe", "listen", "watch", "monitor", "on", "add", "register", "sink", "bind", "each",
    "set", "schedule", "track", "follow", "stream", "notify",
]
private let configuringVerbs: Set = ["configure", "customize", "modify", "mutate"]
private let resultWords: Set = [
    "callback", "callbacks", "cb", "response", "result", "results", "answer", "continuation", "error", "errors",
]
private let handlerWords: Set = ["handler", "block", "closure", "fn", "f", "c", "h", "with"]
private let workWords: Set = ["work", "task", "operation", "body", "job", "execute", "content", "perform"]
private let fetchingVerbs: Set = [
    "fetch", "load", "get", "request", "send", "save", "download", "upload", "delete", "remove", "update", "create",
    "check",
    "connect", "disconnect", "retry", "wait", "find", "search", "sync", "refresh", "read", "write", "open", "login",
    "log", "sign",
    "authenticate", "authorize",
    "register", "retrieve", "query", "post", "put", "submit", "perform", "resolve", "import", "export", "upgrade",
    "pair",
    "discover", "validate", "verify", "purchase", "restore", "process", "present", "start", "stop", "scan", "reload",
    "identify", "detect", "calculate", "compute", "generate", "render", "erase", "reset", "list", "execute", "ask",
]
