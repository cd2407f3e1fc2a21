import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// How long a thread delivers what others bring meanwhile, before it makes a break.
///
/// A thread that registers a callback, emits or completes delivers where it is what there is. What others bring
/// meanwhile it has to deliver, too: they do not wait for it. If they are faster it would never return, and what they
/// bring would pile up. So after ten milliseconds of that it rests, and looks again a millisecond later: whoever has
/// brought something in between has become the one who delivers, and is slowed down by the callbacks.
///
/// Nobody asks who has brought it. If it was a callback of its own, a tenth of the time is lost, however many futures
/// and streams the thread delivers in turn.
struct Stint {
    /// The delivery that this is about.
    private var turn = UInt64.max
    /// The number of the first one that counts: what was there when the delivery began is the thread's own business.
    private var first: UInt64 = 0
    /// When that one had its turn.
    private var start: UInt64?

    /// How many milliseconds there are before a break.
    static let patience: UInt64 = 10

    /// Whether a break is due; after it one is delivered at the least.
    ///
    /// - Parameters:
    ///   - number: The number of the next one to be delivered.
    ///   - end: The number of the next one to come.
    ///   - turn: The number of the delivery.
    ///   - patience: In milliseconds; 0 for a break before each.
    mutating func isOver(before number: UInt64, of end: UInt64, in turn: UInt64, _ patience: UInt64) -> Bool {
        guard turn == self.turn else {
            (self.turn, first, start) = (turn, end, nil)
            return false
        }
        guard number >= first else { return false }
        if patience > 0 {
            let now = Self.milliseconds
            guard let start else {
                start = now
                return false
            }
            // A break for something else counts too, but not for ever.
            let lastBreak = (now &- start) / 10 < patience ? ThreadState.current.pointee.lastBreak : 0
            let since = max(start, lastBreak)
            guard now > since, now - since >= patience else { return false }
        }
        (first, start) = (number + 1, nil)
        return true
    }

    /// After a break in which nobody came.
    mutating func goOn(in turn: UInt64) { self.turn = turn }

    /// How many may be delivered before the next look at the time: as many again as have been, so that even where each
    /// takes long the time is not exceeded by much.
    func most(from number: UInt64) -> Int {
        Int(min(64, number < first ? first - number : max(1, number - first)))
    }

    /// Lets other threads go first for a moment, a thousandth of a second.
    @inline(never)
    static func takeBreak() {
        usleep(1_000)
        ThreadState.current.pointee.lastBreak = milliseconds
    }

    private static var milliseconds: UInt64 { DispatchTime.now().uptimeNanoseconds / 1_000_000 }
}
