// SPDX-License-Identifier: Apache-2.0

// The common ending of all sub-commands.

#if Tools
import ArgumentParser
import Foundation
import RealmTools

/// A sub-command, whose work ends with an exit status.
protocol ToolCommand: ParsableCommand {
  /// Does the work.
  ///
  /// - Throws: `ToolFailure`, and what becomes one.
  func work() throws -> ExitStatus
}

extension ToolCommand {
  func run() throws {
    let status: ExitStatus
    StopSignals.removeUnfinishedFiles()
    do {
      status = try work()
    } catch let exit as ExitCode {
      throw exit
    } catch {
      let failure = ToolFailure(error)
      Terminal.complain(failure.message)
      throw ExitCode(failure.status.rawValue)
    }
    if status != .fine { throw ExitCode(status.rawValue) }
  }
}
#endif
