import SimpleFutures

extension Try {
    /// What is in it, as text: the city of a report.
    var text: String {
        switch self {
        case .success(let value): return (value as? Report)?.city ?? "\(value)"
        case .failure(FuturesError.noSuchElement): return "noSuchElement"
        case .failure(let error): return "\(error)"
        }
    }
}

extension Future {
    /// What it has been completed with, as text.
    var text: String { return result?.text ?? "pending" }
}

extension FutureStream {
    /// What it keeps, as text.
    var texts: [String] { return futures.map { $0.text } }
}
