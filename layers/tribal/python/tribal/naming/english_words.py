"""Everyday English words of business databases, used to split names without separators.

Collected for this project; no outside source is recorded.
"""

from __future__ import annotations

WORDS = frozenset(
    """
  acceptable afterwards benchmark billboard breakfast chairman championship commonwealth copyright drives end
  expedition everybody everything facebook firewall framework friendship generate generated generates
  generating highlight home illustration kilometer leadership manufacture network networking newspaper num own per
  photograph placeholder railway readable reasonable refactor remarkable salt shortcut straightforward town township
  understand understanding weekend cart
  able above absence absolute abstract accept acceptance accepted accessory accommodation accrual accuracy achieved
  acid acquired act action activation actor add added addition admin adult advance advertisement advice affiliate after
  against aged aggregated aid aim air airfield airplane aisle alarm alert alias allergy allocated allowance allowed
  alternative amended analysis analyst ancestor angle announcement answer appeal applied approved approver archive
  archived area arena arm armed arrival artist asked asking aspect assembled assessment assigned assignee assumed
  athlete attempt attempts attendance attendee auction auto automatic automobile award awarded away axis baby bag bags
  ballot band bar barcode base baseline basic basis basket batch bathroom beat bedroom before behavior belt bench
  benefactor best beverage bid bidder bike bin bird birthday black blank block blocked blog blue boat body bond booked
  books border born boss bottle bottom bought bound box boxes brake branch bread break breakdown bridge brief bright
  bring broadcast brokerage brother browser buffer bug built bulk bundle burn button buy buying byte bytes cabin cable
  cache cafe call called caller calls camera camp campaign canceled cancellation cancelled car cardinal care career
  cargo carrier carry carton cash cast casual cause cell cent center central century ceremony chain chair challenge
  champion chance changed changes chargeback charged chart chat chauffeur cheap checked checkin checkout chemical chief
  children choice choose chosen church circuit citizen citizenship civil claimed claims classification clause cleaned
  clear clearance clerk click clicks climate clinic clinical clinician clip clock close closing cloud club cluster
  coach coast codes coin cold collateral colleague collected college colour columns combination combined comments
  commercial common community compare comparison competition competitor complaint completed completion compliance
  composite compound computer concept condition conditions confidence confirmed conflict connection consignment
  constraint construction consultant consumer contacts contain container contents contest context contribution
  contributor controlled converted cook copy core corner correct corrected corridor costs couple courier covered cow
  create creation creator creature crew crime criteria critical crop crowd cube cuisine culture cure curve custom cut
  cycle dam dark days dead deadline deal debt debtor decade decision deck decline declined decrease deep default
  defense defined definition degree delayed delete deleted delivered delta demand demographic density dental depot
  depth derived descendant descriptor deserve design desk desktop detected detector determination developer deviation
  diagram dialog diameter diet differential digest digit digital diner dinner diploma disabled disaster discharge
  discharged disclosure discontinued discounted discovery discrepancy discussion disease dish disk disorder dispatched
  dispute document domain domestic donation done door dosage double down download draft draw drawing dress drink drive
  drop dropped dry dues dump duplicate duty dwelling dynamic earliest early earned earning earnings east easy eat eaten
  eatery economy edge edit edited edition editor effect either elapsed election electric electrical electronic element
  eligible else embedded empty enabled ended ending endpoint ends energy enough entered enterprise episode equal
  equivalent era estate ethnicity european every exact example exception exclude excluded exclusive exempt exercise
  exhibit exit expected expenditure expense expires expiry explanation exposure express expression extended extent
  extra eye fabric face facet factor failed failure fair fall false family fan farm farmer fast fatal father fault
  favorite fax feature features fed federal feed feedback felony female fiber fields fight figure fill filled filter
  find fine finger finish finished fire firm fish fixed fixture flat flavor fleet flow fluid folder follow followed
  follower food foot football force forecast forest forget fork formal former forum found foundation founded fraction
  fragment frame franchise fraud free freeze french fresh friend front frozen fruit fuel full funding furniture future
  gain gallery gallon gap garage garden gas gate gateway gauge gear gene general genre gift girl give given glass
  global goal goals gold good goods grade grand grant graph green grid grievance ground groups growth guarantee
  guardian guess guest guidance guide gun hair half hall hand handed handler handling hard hash hazard head health
  hearing heart heat heating heavy held help hidden high higher highest hint hit hits hold holder holding home homepage
  hometown horse host hotel hours houses housing how huge hundred hunt husband idea ideal idle ill illness images
  immigration impact implementation imported improvement inactive incentive incoming increase indirect industrial
  infant infection inflation influence influencer ingredient inhabitants inherit initiated initiative inlet inner
  innings input inquiry inserted inside install installation installed instant instructions intake intelligence
  intensity intent interaction intern interval interview introduction invitation invited invoiced involved iron island
  issued issuer issues items jersey jobs join joined joint journey judge junction junior jurisdiction justice keep
  kernel keyboard keys kick kid kill kilo kind king kit kitchen known labels ladder lake land landing landlord lane lap
  laptop large largest laser late later latest launch launched law lawyer layer layout leader leads leaf lean learner
  learning lease leaves lecture lecturer left leg legal legend lender less lessee lesson lessor letter levy liability
  liable licensed licensee lien lift light like likes lines link linked links liquid listed listing lists liter
  literature little live lives living load loaded local locations lock locked locker lodging logged logical login logo
  logs long longest look lookup loss lost lot low lower lowest loyalty lunch machine magazine mail mailing main major
  make maker male man managed mandate mandatory manual map mapped mapping margin marital mark markdown marked markup
  married mass matched matches math matter mature meal meals mechanic mechanism media median medicine meet membership
  mentor menu merchandise merchant merge merged metadata metal meter meters metric metrics middleware migration mile
  mileage military milk million mind mine mineral mining minor minutes mirror missing mission mix mode modification
  moisture moment monetary money monitor monthly months more morning mortality most mother motion motor mountain mouse
  move moved multiple multiplier murder museum music musical musician mutual named names nation nationality native
  natural nature navigation near nearest need needed net new newest news next night node noise nominal nominee none
  normal north notation note notes notice notified notional novel nurse objective obligation observed occasion
  occupancy occurred odd offense offer offered offering officer offset oil old oldest online only onset opened opening
  operating operational opinion opponent optional options oral ordered orders ordinal organisation organizer oriented
  origination others outage outbound outcome outdoor outer outlay outlet outline outlook output outside outstanding
  overall overdue overhead overtime owned owner ownership pace pack packaging packed packet page pages pain paint
  painting pair pallet panel paragraph parameters parcel parents parking parse parts pass passed passing past pastor
  path patron pattern patterns pause payee payer payments peak penalty pending people percentage percentile perfect
  performer periodical permit personal personnel pharmacy phase phases phones photo phrase physics pick picked picking
  pickup piece pieces pilot pipe pipeline pitch pixel placed placement places plain plane planet planned plants plastic
  platform play played playlist plays plot plus poem poet point points poison pole poll pollution pool poor popular
  popularity port positions positive possible postcode posted posting posts potential pound pounds power practice
  precipitation predecessor predicted preferred prefix preparation prepared present president press previous priced
  pricing primary print printed printer prior prison private privilege prize probability problem processed processor
  producer profession profit profits programs promised promoted prompt proof proposal proposed prospect protected
  protection protein protocol provided providers provision proxy public published publishing pull pulse pupil purchased
  purchaser purpose push put qualifier quarterly query queue quick quiz quota quote quoted race races radio radius rail
  rain rainfall raise raised rank ranked ranking rated rates rating ratings ratio raw reach reached reaction read
  reader reading readings ready real realized rear rebate recall recent recipe recipient recognition reconciled
  recorded recording recovery recurring red redirect reduced reduction referee referral referred refresh refunded
  refused regional regular regulation reimbursement reject rejected related relation relations relative released
  relevant reliable religion reload reminder remittance remote removal removed remuneration renewal rent rental renter
  reorder repair repeat repeated replaced reply reported reporting reports reposted republic request requested
  requester research reseller reserve reserved reset residence resident resolved response rest restaurant restricted
  restriction retired retirement retry returned returns reverse reversed reviewed reviewer revised reward rewards rich
  ride rider right rights ring rise risk rival river road robot rock roles roll roof root roots rotation rough round
  rounds routing row rows royalty rule rules run runner running runs rural safe safety salaried sample samples sanction
  satellite satisfaction saved saving savings say scale scan scanned scene scheduled scheme scholarship science
  scientific scientist scope scored scores scrap scrapped script sea seal sealed search seat seats secondary secret
  sections see seed selected selection self sell seller selling sensitive sensitivity sent sentence sentiment
  separation sequences series served set settled settlement setup several severe shade shadow shape share shared
  shareholder shares sheet shelf shell shift ship shipped shipper shoe shop shopper shopping short shot shots show sick
  sickness side sign signed silver similar simple singer single sink site sites situation size sizes skill skills skin
  slide slope slot slow small smallest smoking snow soccer society soil sold solution solved song songs sort sound
  source south spare spatial specific specimen speech speed spend spending spent split sponsor sport sports spot spouse
  spread spring squad stable stack stadium staff stamp stand standing star started starting starts states stats statute
  stay steel stem steps stick still stocked stone stopover stopped storage stored stores storm story straight stranger
  stream streaming strength stress strike strong structure studio study style subcategory subdivision submission submit
  submitted subscribed subset substance substitute subtotal subtype suburb succeeded successor such suggestion suite
  summer sun super superior supplied supplies supply surface surgeon surgery surplus surrogate suspect suspended swap
  switch symptom syndrome synonym synonyms tab tables tag tags take takeaway taken talent talk tall tank tape task
  tasks taste tax taxable taxes taxi tenant tender test tested tests texts theater theme theory therapy thickness thing
  third thread threat threshold ticket tickets tide tier ties till timetable timezone tip tips title titles todo toll
  ton tone tongue tool tools top topic topics tournament toward towards tower town toxicity trace tracking traded
  trader traffic trail train trained trainer trait trap trash travel traveler treasury tree trend tribunal trigger
  trophy true trust turn turnover twin two types typical under union units universal unknown unlimited unlock until
  unused update updates upgrade upload urban urgency urgent usage used user users using vacancy valid valuation values
  valve vector vegetable velocity vendors venue vertical vessel video view viewer views village virtual virus
  visibility visible visited visitor visits visual vital voice void volunteer vote voter votes voucher voyage wage wait
  waiting waive walk wall warning waste watch water wave way wealth weapon wear web website wedding weighted weights
  welcome west wheel when white whole wholesale wide width wife wild win wind window wine winner wins winter wire
  wireless withdrawn witness woman women won wood word words worked worker workflow working workshop workstation world
  worth wound write writer written wrong yard yearly years yellow yes yield young youth zero zones
  """.split()
)
"""In lower case, mostly singular, at least three letters long."""
