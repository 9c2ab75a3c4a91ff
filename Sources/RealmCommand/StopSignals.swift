// SPDX-License-Identifier: Apache-2.0

// Stopping the program: with Control-C, or by the system.

#if Tools
import Dispatch
import Foundation
import RealmTools

/// The signals for ending the program.
enum StopSignals {
  /// Lives as long as the process, as the handlers do.
  // nonisolated(unsafe): made once, and changed by the first command alone.
  private nonisolated(unsafe) static let sources: [any DispatchSourceSignal] = [
    SIGINT, SIGTERM, SIGHUP,
  ].map { number in
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    source.setEventHandler {
      if number == SIGINT, let stop = StatementStop.current { return stop.request() }
      UnfinishedFiles.removeAll {
        // The parent sees the signal's number. Threads of Dispatch block signals, so this one would
        // never arrive here.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        signal(number, SIG_DFL)
        raise(number)
      }
    }
    return source
  }

  /// Lets the signals remove incomplete files before they end the program.
  static func removeUnfinishedFiles() {
    for (number, source) in unsafe zip([SIGINT, SIGTERM, SIGHUP], sources) {
      signal(number, SIG_IGN)
      source.resume()
    }
  }
}
#endif
