// SPDX-License-Identifier: Apache-2.0

// The codes of closed WebSockets.

/// Why a WebSocket closed, as its close frame or the socket layer says.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
  package var rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }
  package init(_ rawValue: Int) { self.rawValue = rawValue }

  package static let normal = CloseCode(1000)
  package static let goingAway = CloseCode(1001)
  package static let protocolError = CloseCode(1002)
  package static let abnormal = CloseCode(1006)
  package static let policyViolation = CloseCode(1008)
  package static let messageTooBig = CloseCode(1009)
  package static let internalError = CloseCode(1011)
  package static let tlsFailed = CloseCode(1015)
  package static let unauthorized = CloseCode(4001)
  package static let forbidden = CloseCode(4002)
  package static let movedPermanently = CloseCode(4003)
  package static let resolveFailed = CloseCode(4400)
  package static let connectFailed = CloseCode(4401)
  package static let readFailed = CloseCode(4402)
  package static let writeFailed = CloseCode(4403)
  package static let retry = CloseCode(4404)
  package static let fatal = CloseCode(4405)

  /// The reaction of a client.
  package enum Reaction: Hashable, Sendable {
    /// The connection ended as it should.
    case none
    /// Connect again after the delay of the retry schedule.
    case retry
    /// Get a new access token, then connect again.
    case refreshToken
    /// Ask for the location again, then connect.
    case refreshLocation
    /// Connect again, and ask for the location first if this address never worked.
    case retryOrRefreshLocation
    /// A message was too big: the file has to be reset.
    case clientReset
    /// Report it, then connect again.
    case reportAndRetry
    /// The user is logged out.
    case logOut
    /// Nothing helps, unless the address never worked: then ask for the location.
    case fatalOrRefreshLocation
  }

  package var reaction: Reaction {
    switch self {
    case .normal: .none
    case .abnormal, .unauthorized: .refreshToken
    case .messageTooBig: .clientReset
    case .tlsFailed: .reportAndRetry
    case .forbidden: .logOut
    case .movedPermanently: .refreshLocation
    case .resolveFailed, .connectFailed: .retryOrRefreshLocation
    case .fatal: .fatalOrRefreshLocation
    default: .retry
    }
  }

  /// The code for a handshake with another HTTP status than 101 in the answer.
  package init(handshakeStatus: Int) {
    switch handshakeStatus {
    case 301, 308: self = .movedPermanently
    case 300..<400: self = .retry
    case 401: self = .unauthorized
    case 403: self = .forbidden
    case 500..<600: self = .internalError
    default: self = .fatal
    }
  }
}
