// What `dump` shows, and a debugger that asks for mirrors: the state in words and values, not the storage.

extension Future: CustomReflectable {
    /// The result, if there is one, whether it was canceled, and how many wait.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["result": result as Any, "isCancelled": isCancelled, "waiting": observerCount],
            displayStyle: .class, ancestorRepresentation: .suppressed)
    }
}

extension FutureStream: CustomReflectable {
    /// What is kept, how many have subscribed, and whether it has ended.
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
    /// The future, and where the promise was made.
    public var customMirror: Mirror {
        Mirror(self, children: ["future": future, "createdAt": site], displayStyle: .class)
    }
}

extension StreamPromise: CustomReflectable {
    /// The stream, and where the promise was made.
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
    /// Whether it was canceled, and how much is registered under it.
    public var debugDescription: String {
        if self == .none { return "CancelToken.none" }
        return "CancelToken(\(isCancelled ? "cancelled" : "\(registrationCount) registered"))"
    }
}

extension ManualContext: CustomDebugStringConvertible {
    /// Its time, and how much waits to be run.
    public var debugDescription: String {
        let timers = timerCount
        return "ManualContext(now: \(now), \(pendingCount - timers) to run, \(timers) timers)"
    }
}
