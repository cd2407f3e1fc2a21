import Dispatch

extension StreamQueue {
    @concurrent
    static func blocks(_ count: Int) async {
        let queue = DispatchQueue(label: "consumer")
        await withCheckedContinuation { end in
            for value in 0..<count { queue.async { blackHole(value) } }
            queue.async { end.resume() }
        }
    }
}
