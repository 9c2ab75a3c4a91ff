// SPDX-License-Identifier: Apache-2.0

// Which mode an app is served in.
//
// Invariants:
// 1. An app that other machines reach is in development mode only if its file or the command line
//    says so.

#if Server
import Foundation
import RealmServerEngine
package import RealmServerServices
import RealmSyncProtocol

extension ServerOptions {
  /// The mode of an app; development if nothing names one and this machine alone reaches the
  /// server.
  ///
  /// - Parameter file: The path of the app's file.
  package func stage(of app: AppFile, at file: String) throws(ServerFailure) -> AppStage {
    if let stage = app.stage { return stage }
    if isDevelopment { return .development }
    guard let address = exposedAddress else { return .development }
    throw ServerFailure(
      "\(file) names no \"mode\", and other machines reach the server (\(address)). Add "
        + "\"mode\": \"production\" with \"\(app.mode == .flexible ? "roles" : "permissions")\" "
        + "(Documentation/Sync/Rules.md), or let "
        + "every user read and write everything: with \"mode\": \"development\" or --development.")
  }

  /// Whether an app is in development mode only as no other machine reaches the server. With the
  /// address of a proxy the operator has said who reaches that.
  package func isForThisMachineAlone(_ app: AppFile) -> Bool {
    app.stage == nil && !isDevelopment && publicURL == nil
  }

  /// The address under which other machines reach the server; nil if none does.
  package var exposedAddress: String? {
    if !Self.isLoopback(host) { return "--listen \(host):\(port)" }
    guard let publicURL else { return nil }
    return Self.isLoopback(Self.host(of: publicURL)) ? nil : "--public-url \(publicURL)"
  }

  /// Whether a host is this machine for itself alone.
  package static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || ClientAddress(host)?.isLocal == true
  }

  private static func host(of url: String) -> String { URLComponents(string: url)?.host ?? "" }
}
#endif
