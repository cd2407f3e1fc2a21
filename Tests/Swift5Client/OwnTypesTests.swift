import Dispatch
import SimpleFutures
import Testing
@testable import TestSupport

@Suite("A Swift 5 client: its own futures and results", .watchdog)
struct OwnTypesTests {
    @Test func `an app's own class has the combinators`() {
        let deferred = Deferred<Report>()
        var cities = [String]()
        deferred.onSuccess(context: ImmediateContext()) { cities.append($0.city) }
        deferred.onFailure(context: ImmediateContext()) { _ in cities.append("?") }
        let degrees = deferred.map(context: ImmediateContext()) { $0.degrees }
            .recover(context: ImmediateContext()) { _ in 0 }
        deferred.complete(.success(Report(city: "Ulm", degrees: 3)))
        deferred.complete(.success(Report(city: "Bonn", degrees: 4)))
        #expect(cities == ["Ulm"])
        #expect(degrees.result?.value == 3)
        #expect(deferred.result?.value?.city == "Ulm")
    }

    @Test func `one can depend on another`() {
        let first = NamedReport()
        first.label = "first"
        let second = Deferred(context: ImmediateContext(), dependent: first)
        first.complete(.failure(WeatherError.offline))
        #expect(first.names == ["?"])
        #expect(second.label == "first")
        #expect(second.result?.text == "offline")
    }

    @Test func `a structure around a future has them too`() {
        var timed = Timed<[Int]>()
        timed.started = 4
        timed.note = { "four" }
        #expect(!timed.future.completed)
        let counted = count(in: timed)
        timed.complete(.success([1, 2]))
        #expect(counted.result?.value == 2)
        #expect(Timed(context: ImmediateContext(), dependent: timed).result?.value == [1, 2])
        #expect(timed.note?() == "four" && timed.started == 4)
    }

    @Test func `the default context is a QueueContext where one is required, and any future can be traversed`() {
        #expect(label() == DispatchQueue.main.label)
        #expect(defaultQueue.queue.label == DispatchQueue.main.label)
        #expect(timed([1, 2]).result?.value == [2, 4])
        #expect(reading().result?.value == 7)
    }

    @Test func `sequences and functions accept any of them`() {
        let deferred = [1, 2, 3].map { Deferred(value: $0) }
        #expect(values(of: deferred) == [1, 2, 3])
        #expect(values(of: [Future(value: 4)]) == [4])
        #expect(deferred.sequence(context: ImmediateContext()).result?.value == [1, 2, 3])
        #expect(deferred.fold(context: ImmediateContext(), initial: "") { $0 + "\($1)" }.result?.value == "123")
        #expect(make(Timed<Int>.self, 5).result?.value == 5)
        #expect(make(Future<Int>.self, nil).text == "offline")
    }

    @Test func `an app's own results have the combinators of Try`() {
        let answers = [Answer(1), Answer<Int>(WeatherError.offline), .right(3)]
        #expect(successes(answers) == 2)
        #expect(answers[0].map { $0 + 1 }.value == 2)
        #expect(answers[1].getOrElse(7) == 7)
        #expect(answers[1].recover { _ in 8 }.value == 8)
        #expect(answers.sequence().error as? WeatherError == .offline)
        #expect([answers[0], answers[2]].sequence().value ?? [] == [1, 3])
        let checked = Checked(Report(city: "Ulm", degrees: 3))
        #expect(checked.map { $0.city }.value == "Ulm")
        #expect(checked.reads == 10)
        #expect(checked.toOptional()?.degrees == 3)
        #expect(Checked(WeatherError.offline).isFailure())
    }
}
