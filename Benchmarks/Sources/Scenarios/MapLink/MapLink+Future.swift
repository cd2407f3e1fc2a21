import SimpleFutures

extension MapLink {
    static func futures(_ count: Int) {
        for value in 0..<(count / length) {
            let head = Future<Int>()
            escape(head)
            let last = chain(from: head)
            escape(last)
            head.success(value)
        }
    }

    @inline(__always)
    static func chain(from head: Future<Int>) -> Future<Int> {
        var last = head
        for _ in 0..<length {
            last = last.map(context: ImmediateContext()) { $0 &+ 1 }
        }
        return last
    }
}
