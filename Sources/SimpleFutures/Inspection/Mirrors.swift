// The output of `dump` and of debuggers that use mirrors: the state in words and values, not the storage.

extension Future: CustomReflectable {
    /// The result, if there is one, whether the future was canceled, and the number of registrations.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["result": result as Any, "isCancelled": isCancelled, "waiting": observerCount],
            displayStyle: .class, ancestorRepresentation: .suppressed)
    }
}

extension FutureStream: CustomReflectable {
    /// The replay buffer, the number of subscribers, and whether the stream has ended.
    public var customMirror: Mirror {
        let results = futures.compactMap(\.result)
        return Mirror(
            self,
            children: [
                "kept": results, "subscribed": core.subscriberCount, "isFinished": isFinished,
                "isCancelled": isCancelled,
            ],
            displayStyle: .class)
    }
}

extension Promise: CustomReflectable {
    /// The future, and the place where the promise was created.
    public var customMirror: Mirror {
        Mirror(self, children: ["future": future, "createdAt": site], displayStyle: .class)
    }
}

extension StreamPromise: CustomReflectable {
    /// The stream, and the place where the promise was created.
    public var customMirror: Mirror {
        Mirror(self, children: ["stream": stream, "createdAt": stream.core.site as Any], displayStyle: .class)
    }
}

extension CreationSite: CustomReflectable {
    /// The file and the line.
    public var customMirror: Mirror {
        Mirror(self, children: ["fileID": fileID, "line": line], displayStyle: .struct)
    }
}

extension CancelToken: CustomDebugStringConvertible {
    /// Whether the token was canceled, and the number of registrations.
    public var debugDescription: String {
        if self == .none { return "CancelToken.none" }
        return "CancelToken(\(isCancelled ? "cancelled" : "\(registrationCount) registered"))"
    }
}

extension ManualContext: CustomDebugStringConvertible {
    /// The context's time, and the numbers of tasks and timers.
    public var debugDescription: String {
        let timers = timerCount
        return "ManualContext(now: \(now), \(pendingCount - timers) to run, \(timers) timers)"
    }
}
