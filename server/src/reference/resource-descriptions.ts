/** What each resource is, in the words its page of the reference begins with. */
export const resourceDescriptions: Readonly<Record<string, string>> = {
  'API root':
    'The API root identifies the Portal of an API key and lists the resources and actions that the key can access.',
  'Lead sources':
    'A lead source records where a business comes from, such as a website or a referral partner. The administrator of the Portal manages the lead sources. Every business is created with one.',
  Businesses:
    'A business is a client of your Portal: a company that looks for funding. Applications, projects and deals belong to a business.',
  Contracts:
    'A contract is a published version of the questions of an application. A published contract never changes, and an application keeps the version it was created with.',
  'Client intake applications':
    'A client intake application collects what your Portal needs to know about a business: answers to the questions of your Portal, items and files. Autofill answers what is already known.',
  'File transfers':
    'A file transfer moves the bytes of a file. It uses the credential that the file operations return, not the API key.',
  Projects:
    'A project is the funding need of a business. Its criteria describe the need, and matches are calculated from them.',
  'Match calculations':
    'A match calculation compares the criteria of a project with every funding programme that your Portal can see.',
  Matches:
    'A match is the result of a calculation for one funding programme: whether the project is eligible, and the reasons.',
  'Funding programmes':
    'A funding programme is an offer of a recipient, such as a loan or a grant, with the rules that decide who is eligible.',
  Recipients:
    'A recipient is a Portal that receives deals and applications, such as a lender or a grant maker. Your own Portal is a recipient too.',
  Deals:
    'A deal is the attempt to get funding for a business from one recipient: your own Portal or another one. Both parties read the deal at the same address, each with its own view, and follow its progress.',
  'Deal applications':
    'A deal application answers the questions of the recipient of a deal. The sender prepares and submits it; the recipient reviews it, asks for information, makes offers and decides.',
  Offers:
    'An offer contains the terms on which a recipient would fund a submitted application. The sender accepts or declines it. A new offer replaces the active one, and no offer is deleted.',
  Webhooks:
    'A webhook is an address of yours that receives events as signed HTTP requests. It must be verified before it receives events.',
  Deliveries:
    'A delivery is one event on its way to one webhook, with all attempts to send it. A delivery that failed can be sent again.',
  'Webhook event types': 'The event types are the kinds of events that a webhook can receive.',
  Events:
    'An event reports a change of a record of your Portal. Events are kept for 30 days and are listed in the order in which they were numbered.',
  'Audit log':
    'The audit log records who changed what in your Portal: with an API key, on the command line, or in a background job. Entries contain ids and names of fields, never values. Each entry contains the hash of the one before, so that a change of the log is found.',
}
