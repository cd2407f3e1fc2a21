import SimpleFutures

/// A widget that loses interest when it leaves the screen.
class Widget {
    private let cancelToken = CancelToken()
    private let source: Future<Report>
    private let context: ExecutionContext
    var lines = [String]()

    init(_ source: Future<Report>, context: ExecutionContext) {
        self.source = source
        self.context = context
    }

    func appear(_ other: @escaping () -> Future<String>) {
        source.onSuccess(context: context, cancelToken: cancelToken) { report in
            self.lines.append(report.city)
        }
        source.onFailure(context: context, cancelToken: cancelToken) { error in
            self.lines.append("\(error)")
        }
        let mapped = source.flatMap(context: context, cancelToken: cancelToken) { _ in
            other()
        }
        mapped.onSuccess(context: context, cancelToken: cancelToken) { text in
            self.lines.append(text)
        }
        mapped.onFailure(context: context, cancelToken: cancelToken) { [unowned self] error in
            self.lines.append("\(error)")
        }
    }

    func disappear() -> Bool {
        return source.cancel(cancelToken)
    }
}

/// What subscribers are kept by.
struct Subscribers {
    private var blocks = [CompletionId: (Int) -> Void]()

    mutating func add(_ block: @escaping (Int) -> Void) -> CompletionId {
        let id = CompletionId()
        blocks[id] = block
        return id
    }

    mutating func remove(_ id: CompletionId) {
        blocks[id] = nil
    }

    func tell(_ value: Int) {
        blocks.values.forEach { $0(value) }
    }

    func tell(_ value: Int, only id: CompletionId) {
        blocks[id].forEach { $0(value) }
    }
}
