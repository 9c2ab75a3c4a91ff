// SPDX-License-Identifier: Apache-2.0

// What the program does when it is stopped: with Control-C, or by the system.

#if Tools
import Dispatch
import Foundation
import RealmTools

/// The signals that end the program.
enum StopSignals {
  /// Lives as long as the process, as the handlers do.
  // nonisolated(unsafe): made once, and changed by the first command alone.
  private nonisolated(unsafe) static let sources: [any DispatchSourceSignal] = [
    SIGINT, SIGTERM, SIGHUP,
  ].map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      UnfinishedFiles.removeAll()
      // The parent sees which signal it was.
      signal(number, SIG_DFL)
      raise(number)
    }
    return source
  }

  /// Lets the signals remove files that are not complete before they end the program.
  static func removeUnfinishedFiles() {
    for (number, source) in unsafe zip([SIGINT, SIGTERM, SIGHUP], sources) {
      signal(number, SIG_IGN)
      source.resume()
    }
  }
}
#endif
