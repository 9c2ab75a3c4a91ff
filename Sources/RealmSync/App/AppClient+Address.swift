// SPDX-License-Identifier: Apache-2.0

// A sentence about a wrong address of a server, or a wrong id of an app.

import RealmSyncProtocol

extension AppClient {
  /// Checks the address before anything is sent to it.
  ///
  /// - Throws: `AppFailure.invalidCall` for an address without `http://` or `https://`.
  func checkAddress() throws(AppFailure) {
    let address = settings.baseURL
    let schemes = ["http://", "https://"]
    if schemes.contains(where: { address.hasPrefix($0) && address != $0 }) { return }
    let place = address.firstRange(of: "://").map { String(address[$0.upperBound...]) } ?? address
    throw .invalidCall(
      "'\(address)' is no address of a server: it has to begin with http:// or https://, as "
        + "'http://\(place.isEmpty ? "127.0.0.1:9090" : place)' does.")
  }

  /// The failure of a request for the location, the first request to a server.
  func explained(_ failure: AppFailure) -> AppFailure {
    switch failure {
    case .service(let name, _, 404, let logURL):
      .service(
        name: name,
        message:
          "The server at \(settings.baseURL) has no app with the id '\(settings.id)'. Use an "
          + "id that the server names when it starts.",
        status: 404, logURL: logURL)
    default: failure
    }
  }
}
