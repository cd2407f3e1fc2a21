import SimpleFutures
import Testing
@testable import TestSupport

/// `ManyInputsTests` tests the behavior that all combinators of several inputs share.
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

    @Test func `two to five inputs return their values in order, also as a method`() throws {
        let ofTwo = [zip(one, two), one.zip(two)]
        let ofThree = [zip(one, two, three), one.zip(two, three)]
        let ofFour = [zip(one, two, three, four), one.zip(two, three, four)]
        let ofFive = [zip(one, two, three, four, five), one.zip(two, three, four, five)]
        #expect(!ofFive[0].completed)
        complete()
        for index in 0...1 {
            #expect(try #require(ofTwo[index].result).get() == (1, "two"))
            #expect(try #require(ofThree[index].result).get() == (1, "two", true))
            #expect(try #require(ofFour[index].result).get() == (1, "two", true, 4))
            #expect(try #require(ofFive[index].result).get() == (1, "two", true, 4, [5]))
        }
    }

    // With a parameter pack alone, these closures are errors for which the compiler has no reason.
    @Test func `a closure can pass members of its parameters to a function that takes anything`() {
        let (text, list, log) = (Future(value: "ab"), Future(value: [1]), Log<String>())
        @Sendable func note(_ values: Any...) { log.add(values.map { "\($0)" }.joined(separator: " ")) }
        zip(text, list).onSuccess(context: immediate) { text, list in note(text.count, list.count) }
        text.zip(list).onSuccess(context: immediate) { note($0.count, $1.count) }
        zip(text, list, text).onSuccess(context: immediate) { note($0.count, $1.count, $2.count) }
        text.zip(list, text).onSuccess(context: immediate) { note($0.count, $1.count, $2.count) }
        zip(text, list, text, list).onSuccess(context: immediate) { note($0.count, $1.count, $2.count, $3.count) }
        text.zip(list, text, list).onSuccess(context: immediate) { note($0.count, $1.count, $2.count, $3.count) }
        zip(text, list, text, list, text).onSuccess(context: immediate) { text, list, _, _, last in
            note(text.count, list.count, last.count)
        }
        text.zip(list, text, list, text).onSuccess(context: immediate) { note($0.count, $1.count, $4.count) }
        zip(text, list, text, list, text, list).onSuccess(context: immediate) {
            note($0.0.count, $0.1.count, $0.5.count)
        }
        text.zip(list, text, list, text, list).onSuccess(context: immediate) { note($0.count, $1.count, $5.count) }
        #expect(
            log.all == ["2 1", "2 1", "2 1 2", "2 1 2", "2 1 2 1", "2 1 2 1", "2 1 2", "2 1 2", "2 1 1", "2 1 1"])
    }

    @Test func `there is no limit to the number of futures`() {
        let one = Future(value: 1)
        let seven: Future<(Int, Int, Int, Int, Int, Int, String)> = zip(
            one, one, one, one, one, one, Future(value: "seven"))
        #expect(seven.result?.value?.6 == "seven")
        let others: Future<(Int, Int, Int, Int, Int, Int, String)> = one.zip(
            one, one, one, one, one, Future(value: "others"))
        #expect(others.result?.value?.6 == "others")
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
