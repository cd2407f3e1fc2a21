import SimpleFutures

extension Sequencing {
    static func futures(_ count: Int) {
        for _ in 0..<(count / length) {
            let inputs = (0..<length).map { _ in Future<Int>() }
            let all = inputs.sequence()
            all.onSuccess(context: ImmediateContext()) { blackHole($0.count) }
            for (value, input) in inputs.enumerated() { input.success(value) }
        }
    }

    static func completedFutures(_ count: Int) {
        let inputs = (0..<length).map { Future(value: $0) }
        for _ in 0..<(count / length) {
            let all = inputs.sequence()
            all.onSuccess(context: ImmediateContext()) { blackHole($0.count) }
        }
    }
}
