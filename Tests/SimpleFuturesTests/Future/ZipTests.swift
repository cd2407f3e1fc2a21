import SimpleFutures
import Testing
@testable import TestSupport

@Suite("zip", .watchdog)
struct ZipTests {
    private let one = Future<Int>()
    private let two = Future<String>()
    private let three = Future<Bool>()
    private let four = Future<Double>()
    private let five = Future<[Int]>()

    private func complete() {
        five.success([5])
        two.success("two")
        four.success(4)
        one.success(1)
        three.success(true)
    }

    @Test func `two to five inputs return their values in order`() throws {
        let two = zip(one, two)
        let three = zip(one, self.two, three)
        let four = zip(one, self.two, self.three, four)
        let five = zip(one, self.two, self.three, self.four, five)
        #expect(!five.completed)
        complete()
        #expect(try #require(two.result).get() == (1, "two"))
        #expect(try #require(three.result).get() == (1, "two", true))
        #expect(try #require(four.result).get() == (1, "two", true, 4))
        #expect(try #require(five.result).get() == (1, "two", true, 4, [5]))
    }

    @Test func `two to five inputs as a method`() throws {
        complete()
        #expect(try #require(one.zip(two).result).get() == (1, "two"))
        #expect(try #require(one.zip(two, three).result).get() == (1, "two", true))
        #expect(try #require(one.zip(two, three, four).result).get() == (1, "two", true, 4))
        #expect(try #require(one.zip(two, three, four, five).result).get() == (1, "two", true, 4, [5]))
    }

    @Test func `a closure's parameters can destructure the tuple`() {
        let sum = zip(Future(value: 1), Future(value: 2)).map(context: immediate) { left, right in left + right }
        #expect(sum.ended == .success(3))
        let log = Log<String>()
        one.zip(two).onSuccess(context: immediate) { number, text in log.add("\(number), \(text)") }
        complete()
        #expect(log.all == ["1, two"])
    }

    @Test(arguments: Source.Ending.allCases, [0, 1, 2])
    func `an input that does not succeed ends it at once`(ending: Source.Ending, place: Int) {
        for moment in Source.Moment.allCases {
            let others = [Future<Int>(), Future<Int>()]
            let zipped = Source.ending(ending, moment) { input in
                var all = others
                all.insert(input, at: place)
                return zip(all[0], all[1], all[2]).map(context: immediate) { [$0, $1, $2] }
            }
            #expect(zipped.ended == ending.passedOn(success: .pending))
            #expect(others.allSatisfy { $0.observerCount == (ending == .success ? 1 : 0) })
            for other in others { other.success(7) }
            var all = [7, 7]
            all.insert(1, at: place)
            #expect(zipped.ended == ending.passedOn(success: .success(all)))
        }
    }

    @Test func `the first failure in time wins`() {
        let zipped = zip(one, two, three).map(context: immediate) { _ in 0 }
        three.failure(Oops.other)
        one.failure(Oops.source)
        #expect(zipped.ended == .failure(Oops.other))
    }

    @Test func `pending inputs release the waiters of the result`() {
        let watch = Watch { probe in
            zip(one, two).onComplete(context: immediate) { _ in probe.use() }
        }
        #expect(!watch.isReleased)
        one.failure(Oops.source)
        #expect(watch.isReleased)
        #expect(two.observerCount == 0)
        two.success("late")
    }

    @Test func `releasing an input breaks it`() {
        var input: Future<Int>? = Future()
        let zipped = zip(input ?? Future(), two).map(context: immediate) { $0 }
        input = nil
        #expect(zipped.map(context: immediate) { _ in 0 }.ended == .broken)
        #expect(two.observerCount == 0)
    }

    @Test func `one future can be used for all inputs`() throws {
        let zipped = zip(one, one, one)
        one.success(1)
        #expect(try #require(zipped.result).get() == (1, 1, 1))
    }

    @Test func `the standard library's zip is still available`() {
        #expect(zip([1, 2], ["a", "b"]).map { "\($0)\($1)" } == ["1a", "2b"])
    }

    @Test func `inputs with large and empty values can be zipped`() throws {
        let large = Future(value: (1, 2, 3, 4, 5, 6, 7, 8))
        let none = Future(value: ())
        let (first, _) = try #require(zip(large, none).result).get()
        #expect(first.7 == 8)
    }
}
