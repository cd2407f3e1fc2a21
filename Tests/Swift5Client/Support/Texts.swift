import SimpleFutures

extension Try {
    /// The result as text: the city of a report.
    var text: String {
        switch self {
        case .success(let value): return (value as? Report)?.city ?? "\(value)"
        case .failure(FuturesError.noSuchElement): return "noSuchElement"
        case .failure(let error): return "\(error)"
        }
    }
}

extension Future {
    /// The result as text.
    var text: String { return result?.text ?? "pending" }
}

extension FutureStream {
    /// The elements in the replay buffer as text.
    var texts: [String] { return futures.map { $0.text } }
}
