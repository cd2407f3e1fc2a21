import Foundation
@testable import TestSupport

/// The effect of a signal.
enum Effect: Equatable, Sendable {
    case standard, ignored, caught
    /// The handler of this file.
    case own

    private static let handler: @convention(c) (Int32) -> Void = { _ in }

    init(of signal: Int32) {
        var action = sigaction()
        sigaction(signal, nil, &action)
        #if canImport(Darwin)
        let current = action.__sigaction_u.__sa_handler
        #else
        let current = action.__sigaction_handler.sa_handler
        #endif
        switch unsafeBitCast(current, to: Int.self) {
        case unsafeBitCast(SIG_DFL, to: Int.self): self = .standard
        case unsafeBitCast(SIG_IGN, to: Int.self): self = .ignored
        case unsafeBitCast(Self.handler, to: Int.self): self = .own
        default: self = .caught
        }
    }

    func set(for signal: Int32) {
        switch self {
        case .standard: Foundation.signal(signal, SIG_DFL)
        case .ignored: Foundation.signal(signal, SIG_IGN)
        case .own: Foundation.signal(signal, Self.handler)
        case .caught: break
        }
    }
}
