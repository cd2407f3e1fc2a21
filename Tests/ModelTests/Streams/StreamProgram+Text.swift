extension StreamProgram.Operation {
    func text(_ id: Int) -> String {
        switch self {
        case .promise(let capacity):
            "p\(id) = StreamPromise(\(capacity == .max ? "" : "capacity: \(capacity)")), s\(id) = p\(id).stream"
        case .future: "p\(id) = Promise(), s\(id) = p\(id).future"
        case .transform(let transform, let source, let place, let token):
            "s\(id) = s\(source).\(transform)(\(arguments(transform.takesClosure ? place : nil, token, transform.amount)))"
        case .flatMap(let source, let inner, let isRecovery, let place, let token):
            "s\(id) = s\(source).\(isRecovery ? "recoverWith" : "flatMap")(\(arguments(place, token))) { s\(inner) }"
        case .flatMapLatest(let source, let inner, let place, let token):
            "s\(id) = s\(source).flatMapLatest(\(arguments(place, token))) { "
                + inner.map { "s\($0)" }.joined(separator: " or ") + " }"
        case .merge(let sources, let token):
            "s\(id) = merge(\((sources.map { "s\($0)" } + [token].compactMap { $0.map { "t\($0)" } }).joined(separator: ", ")))"
        case .pair(let pairing, let first, let second, let token):
            "s\(id) = \(pairing)(s\(first), s\(second)\(token.map { ", t\($0)" } ?? ""))"
        case .first(let source, let token): "s\(id) = s\(source).first(\(arguments(nil, token)))"
        case .reduce(let source, let place, let token): "s\(id) = s\(source).reduce(\(arguments(place, token)))"
        case .emit(let target, let isSuccess): "p\(target).\(isSuccess ? "success" : "failure")(\(id))"
        case .finish(let target): "p\(target).finish()"
        case .completeWith(let target, let source): "p\(target).completeWith(s\(source))"
        case .dropPromise(let promise): "drop p\(promise)"
        case .dropStream(let stream): "drop s\(stream)"
        case .listen(let stream, let kind, let place, let token):
            "s\(stream).on \(kind)(\(arguments(place, token))) { note \(id) }"
        case .token: "t\(id) = CancelToken()"
        case .cancel(let token): "t\(token).cancel()"
        case .cancelOn(let stream, let token): "s\(stream).cancel(t\(token))"
        case .loop(let loop, let stream, let limit, let buffering):
            "a\(id) = Task { for await in s\(stream).\(loop)\(text(buffering)) { note \(id)"
                + (limit.map { "; break after \($0)" } ?? "") + " } }"
        case .cancelTask(let task): "a\(task).cancel()"
        case .iterator(let loop, let stream, let buffering):
            "i\(id) = s\(stream).\(loop)\(text(buffering)).makeAsyncIterator()"
        case .pull(let iterator, let count): "take \(count) out of i\(iterator)"
        case .dropIterator(let iterator): "drop i\(iterator)"
        case .drain(let place): "run what \(place) has"
        case .advance: "let a second pass"
        }
    }

    private func text(_ buffering: StreamProgram.Buffering?) -> String {
        buffering.map { "(buffering: .\($0.kind)(\($0.bound)))" } ?? ""
    }

    private func arguments(_ place: Place?, _ token: Int?, _ amount: String? = nil) -> String {
        [amount, place.map { "\($0)" }, token.map { "t\($0)" }].compactMap { $0 }.joined(separator: ", ")
    }
}

extension StreamProgram.Transform {
    /// How many elements it takes or drops, or how long it waits.
    fileprivate var amount: String? {
        if isPaced { return "\(StreamProgram.pause) s" }
        return takesClosure ? nil : "\(StreamProgram.slice)"
    }
}
